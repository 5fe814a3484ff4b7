"""The words every part of Lakeport shares: errors, names, points in time. Standard library only."""
