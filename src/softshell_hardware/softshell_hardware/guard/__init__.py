"""What stops servos: their health, their torque, and the death of the bridge."""
