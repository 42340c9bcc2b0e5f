"""Experiments with robots and soft manipulators, and what is to come out of them."""
