"""Asking over ROS: everything of this package that needs it."""
