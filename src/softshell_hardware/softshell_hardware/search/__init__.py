"""Before a robot is driven: which servos are on its lines, and how its joints are turned."""
