"""The files of this package that need ROS: the view of the graph, and the launch description."""
