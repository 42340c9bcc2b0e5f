"""What studies do with a robot: each scenario is run with parameters and a seed, and measured."""
