"""Pictures and videos of worlds, drawn in software."""
