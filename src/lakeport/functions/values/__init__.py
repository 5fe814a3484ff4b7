"""Values between Arrow and what a function's author works with: one file per form, loaded when it is used."""
