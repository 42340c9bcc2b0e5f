"""How bodies touch: surfaces, friction, layers, and the table of contacts."""
