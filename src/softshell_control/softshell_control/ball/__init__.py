"""Rolling as a ball: which panels to push with, from what an IMU tells. No ROS."""
