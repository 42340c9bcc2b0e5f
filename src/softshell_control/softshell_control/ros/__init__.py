"""Everything of this package that needs ROS: the bridge node and its topics and services."""
