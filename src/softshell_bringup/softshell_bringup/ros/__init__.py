"""What needs ROS in this package: looking at the graph, and the launch description."""
