"""The part of the package that needs ROS."""
