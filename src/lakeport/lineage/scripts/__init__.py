"""Scripts: texts with blocks, loops and routines, cut into the statements inside them."""

from lakeport.lineage.scripts.cut import cut_script
from lakeport.lineage.scripts.detect import is_script, may_be_script

__all__ = ["cut_script", "is_script", "may_be_script"]
