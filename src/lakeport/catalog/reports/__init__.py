"""What is told of tables: the results that commands print and servers send, made in one place."""
