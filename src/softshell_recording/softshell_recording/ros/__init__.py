"""The parts that need ROS."""
