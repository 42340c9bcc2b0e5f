"""The services on the wire: everything of this package that needs ROS."""
