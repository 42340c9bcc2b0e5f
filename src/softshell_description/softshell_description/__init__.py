"""What the robot is: its URDF, and the typed model of its joints, chains, motors and poses."""
