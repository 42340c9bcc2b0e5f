"""The files of this package that need ROS."""
