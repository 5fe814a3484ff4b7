"""Functions in processes of their own: whatever their code does, the server goes on.

`child` is the process: it loads the modules of a project and does what it is asked, one thing at a time. `worker`
is the server's end of one, `pool` holds several, `remote` are functions that live there, as the catalog knows
functions. Arrow batches go over pipes; what a function prints goes to the server's log.
"""
