"""The product of quaternions for code that numba compiles."""

from numba import njit

from softshell_kinematics.transforms import hamilton

#: Takes two (4,) quaternions x, y, z, w; returns the components of their product.
product = njit(cache=True)(hamilton)
