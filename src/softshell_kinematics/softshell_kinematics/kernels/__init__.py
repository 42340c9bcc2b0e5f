"""Compiled loops over plain arrays; all that programs use is in the package above.

A chain is described by two tables. `numbers` (joints + 1, 14): each moving joint's constant
transform (rotation by rows, translation), multiplier and offset, and in a last row the pose of the
tip after the last joint. `codes` (joints + 1, 2): a joint's kind and its variable's index in the
chain. Every moving joint moves about or along its own z. The tables of several chains follow one
another; one chain is rows first … last-1, with its tip in row `last`.

Arrays that belong together are passed together, as the named tuples of `bundles`. A call still
passes each of their arrays, which for a small chain costs as much as its arithmetic: so the
innermost functions get only the arrays that they use; `work` says what is in them.
"""
