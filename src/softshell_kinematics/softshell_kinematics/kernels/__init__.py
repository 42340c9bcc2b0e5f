"""Compiled loops over plain arrays; everything public is in the package above.

Arrays that describe chains (see `packed.py`): `joint_numbers (joints, 14)` holds each moving joint's
constant transform (rotation by rows, translation), multiplier and offset; `joint_codes (joints, 2)`
its kind and its variable's index in the chain. Every moving joint moves about or along its own z.
A pose is 12 numbers: the rotation by rows, then the translation.
"""
