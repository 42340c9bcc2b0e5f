"""Keyboard teleoperation: keys make the robot walk, change its posture and perform actions."""
