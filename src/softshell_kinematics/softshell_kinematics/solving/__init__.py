"""Inverse kinematics: goals, searches, solutions, and why there is none."""
