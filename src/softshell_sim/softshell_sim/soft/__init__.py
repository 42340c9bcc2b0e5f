"""Soft manipulators of a body in an engine."""
