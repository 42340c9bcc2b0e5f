"""Changes of a running world: what they are, how they are checked, and paths that drive bodies."""
