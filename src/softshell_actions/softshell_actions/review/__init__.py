"""What is wrong with actions and gaits beyond their form."""
