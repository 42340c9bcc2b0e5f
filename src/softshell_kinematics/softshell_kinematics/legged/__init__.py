"""Robots on legs: the base over its feet, its workspace, and static stability."""
