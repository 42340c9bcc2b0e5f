"""Scripted policies, one for each task: baselines to which trained policies are compared."""
