"""Models' queries as Spark is given them, and what Spark says of them as their authors wrote them."""
