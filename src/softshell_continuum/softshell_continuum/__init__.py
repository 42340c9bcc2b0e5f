"""Soft manipulators: what they are made of, how they bend, and what has to pull for that."""
