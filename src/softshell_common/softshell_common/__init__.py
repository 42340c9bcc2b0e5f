"""What every softshell package and node shares."""
