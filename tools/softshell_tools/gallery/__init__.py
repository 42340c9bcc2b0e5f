"""The gallery of the README: short animations, each with the command that makes it."""
