"""The robot of a node."""
