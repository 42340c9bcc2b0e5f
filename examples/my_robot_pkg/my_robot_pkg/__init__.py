"""A robot of my own for softshell, and a node that has it walk up and down."""
