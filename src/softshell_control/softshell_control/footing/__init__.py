"""Feet on uneven ground: what is added to the motions of a robot that walks as on level ground."""
