"""The PyBullet world and the bridge to it."""
