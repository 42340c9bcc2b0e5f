"""What of this package needs ROS: the parameter that names the robot of a node."""
