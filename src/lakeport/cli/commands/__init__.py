"""One module per command, named like it. `cli/registry.py` lists them and loads one when it is called."""
