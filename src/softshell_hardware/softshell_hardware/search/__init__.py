"""Before a robot is driven: which servos there are, and how its joints are turned."""
