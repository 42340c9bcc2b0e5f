"""PyBullet as an engine."""
