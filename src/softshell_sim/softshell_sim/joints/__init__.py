"""Joints of a simulated robot: inertia, friction, limits, springs, and control of their motors."""
