"""Performing actions on a robot, one sub-action at a time."""
