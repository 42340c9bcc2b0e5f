"""From goals to trajectories that joints can follow under their load."""
