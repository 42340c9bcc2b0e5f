"""Experiments with robots and soft manipulators, each with checks of its results."""
