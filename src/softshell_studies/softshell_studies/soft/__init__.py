"""Experiments with soft manipulators: each is run by its name, and checks what came out."""
