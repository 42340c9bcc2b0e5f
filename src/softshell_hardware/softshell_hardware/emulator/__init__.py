"""Emulated servos: their registers, their motion, and the bus they answer on."""
