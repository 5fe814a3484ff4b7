"""What can be asked of a project: its models, and the Spark that runs them."""
