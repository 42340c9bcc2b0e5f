"""Compiled loops over plain arrays; everything public is in the package above.

Chains are described by two tables: `numbers` (joints, 14) holds each moving joint's constant transform
(rotation by rows, translation), multiplier and offset; `codes` (joints, 2) its kind and its
variable's index in the chain. Every moving joint moves about or along its own z.
A pose is 12 numbers: the rotation by rows, then the translation.
"""
