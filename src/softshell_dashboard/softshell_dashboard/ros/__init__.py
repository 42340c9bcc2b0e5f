"""The dashboard on the wire: everything of this package that needs ROS."""
