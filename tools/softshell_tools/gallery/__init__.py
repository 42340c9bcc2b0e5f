"""The gallery of the README: short loops, each made by the command that stands beside it."""
