"""Keyboard teleoperation: keys become walking, posture and actions."""
