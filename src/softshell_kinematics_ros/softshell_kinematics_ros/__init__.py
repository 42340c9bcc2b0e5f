"""The services of inverse and forward kinematics, for any robot with a URDF."""
