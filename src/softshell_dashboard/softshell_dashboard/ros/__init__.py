"""The parts of the dashboard that need ROS."""
