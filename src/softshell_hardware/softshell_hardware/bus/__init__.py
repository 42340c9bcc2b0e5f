"""One servo bus: its port, its bytes, the families of servos, and the host's side."""
