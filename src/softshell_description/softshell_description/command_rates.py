"""How fast a joint's command may change: what the gate lets through, and plans keep to."""

#: Largest acceleration of the command of a joint that turns [rad/s^2]; a URDF has none.
ACCELERATION = 150.0
#: Likewise of a joint that slides [m/s^2].
LINEAR_ACCELERATION = 15.0
#: Part of the motors' no-load speed that a command may ask for.
VELOCITY_SCALE = 0.95
