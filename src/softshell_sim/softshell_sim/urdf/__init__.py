"""Robots from URDF: flattened for physics, their shapes, and their tree of links."""
