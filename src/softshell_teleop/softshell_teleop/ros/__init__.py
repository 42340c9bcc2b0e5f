"""The keyboard on the wire: everything of this package that needs ROS."""
