"""The checkout's own tools: first use, doctor, lint and tests, the command line."""
