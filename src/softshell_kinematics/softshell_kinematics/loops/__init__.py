"""Kinematics for control loops: several tips in one compiled call."""
