"""The action manager on the wire: everything of this package that needs ROS."""
