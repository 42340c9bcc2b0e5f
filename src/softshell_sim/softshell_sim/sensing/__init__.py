"""What the sensors and cameras of a simulated robot measure."""
