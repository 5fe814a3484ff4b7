"""The functions of a project: files `functions/NAMESPACE.py`, loaded, run and laid over a catalog."""

from lakeport.functions.project.catalog import FunctionCatalog
from lakeport.functions.project.served import Options, ProjectFunctions

__all__ = ["FunctionCatalog", "Options", "ProjectFunctions"]
