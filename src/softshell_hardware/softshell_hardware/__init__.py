"""The servo bus: its registers, its bytes, an emulator of it, and the bridge to a real robot."""
