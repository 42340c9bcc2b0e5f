"""Tools of the checkout, which are not installed: set-up, doctor, tests, the command line."""
