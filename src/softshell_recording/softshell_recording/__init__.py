"""Records runs of the robot, and makes figures, plots, pictures and videos of them."""
