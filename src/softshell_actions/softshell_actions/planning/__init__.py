"""From a sub-action and a state to the goals of every limb and joint over time."""
