"""The nodes of this package."""
