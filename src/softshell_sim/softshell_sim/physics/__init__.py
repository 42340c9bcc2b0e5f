"""What all physics engines have in common: their interface, settings, and saved states."""
