"""Actions: parametric motions in data, planned as NURBS and performed one sub-action at a time."""
