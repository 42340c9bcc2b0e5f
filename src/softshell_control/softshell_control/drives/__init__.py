"""What moves joints: motors, PID control of them, delays of commands, and identifying a servo."""
