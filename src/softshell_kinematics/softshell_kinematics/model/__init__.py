"""What is solved: joints, chains, mechanisms, and where they come from."""
