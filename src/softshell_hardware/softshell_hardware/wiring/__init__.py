"""Which servo moves which joint: the file that says so, its checks, and the units of each."""
