"""Forward kinematics of one chain."""

import math

import numpy as np

from softshell_kinematics.kernels.compiled import compiled


@compiled
def forward(numbers, codes, first, last, tool, q, axes, origins, pose):
    """Pose of a chain's tip and each moving joint's axis and origin, all in the base frame.

    Args:
        numbers, codes: joint tables of all chains.
        first, last: the chain's joints are rows first … last-1.
        tool: (12,) pose of the tip in the frame after the last joint.
        q: the chain's variables.
        axes, origins: written, one row for each joint of the chain.
        pose: (12,) written.
    """
    r00, r01, r02 = 1.0, 0.0, 0.0
    r10, r11, r12 = 0.0, 1.0, 0.0
    r20, r21, r22 = 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    for row in range(first, last):
        a0, a1, a2 = numbers[row, 9], numbers[row, 10], numbers[row, 11]
        x += r00 * a0 + r01 * a1 + r02 * a2
        y += r10 * a0 + r11 * a1 + r12 * a2
        z += r20 * a0 + r21 * a1 + r22 * a2
        a00, a01, a02 = numbers[row, 0], numbers[row, 1], numbers[row, 2]
        a10, a11, a12 = numbers[row, 3], numbers[row, 4], numbers[row, 5]
        a20, a21, a22 = numbers[row, 6], numbers[row, 7], numbers[row, 8]
        b00 = r00 * a00 + r01 * a10 + r02 * a20
        b01 = r00 * a01 + r01 * a11 + r02 * a21
        b02 = r00 * a02 + r01 * a12 + r02 * a22
        b10 = r10 * a00 + r11 * a10 + r12 * a20
        b11 = r10 * a01 + r11 * a11 + r12 * a21
        b12 = r10 * a02 + r11 * a12 + r12 * a22
        b20 = r20 * a00 + r21 * a10 + r22 * a20
        b21 = r20 * a01 + r21 * a11 + r22 * a21
        b22 = r20 * a02 + r21 * a12 + r22 * a22
        j = row - first
        axes[j, 0], axes[j, 1], axes[j, 2] = b02, b12, b22
        position = numbers[row, 12] * q[codes[row, 1]] + numbers[row, 13]
        r02, r12, r22 = b02, b12, b22
        if codes[row, 0] == 0:
            origins[j, 0], origins[j, 1], origins[j, 2] = x, y, z
            c, s = math.cos(position), math.sin(position)
            r00, r01 = c * b00 + s * b01, c * b01 - s * b00
            r10, r11 = c * b10 + s * b11, c * b11 - s * b10
            r20, r21 = c * b20 + s * b21, c * b21 - s * b20
        else:
            r00, r01, r10, r11, r20, r21 = b00, b01, b10, b11, b20, b21
            x += position * b02
            y += position * b12
            z += position * b22
    pose[0] = r00 * tool[0] + r01 * tool[3] + r02 * tool[6]
    pose[1] = r00 * tool[1] + r01 * tool[4] + r02 * tool[7]
    pose[2] = r00 * tool[2] + r01 * tool[5] + r02 * tool[8]
    pose[3] = r10 * tool[0] + r11 * tool[3] + r12 * tool[6]
    pose[4] = r10 * tool[1] + r11 * tool[4] + r12 * tool[7]
    pose[5] = r10 * tool[2] + r11 * tool[5] + r12 * tool[8]
    pose[6] = r20 * tool[0] + r21 * tool[3] + r22 * tool[6]
    pose[7] = r20 * tool[1] + r21 * tool[4] + r22 * tool[7]
    pose[8] = r20 * tool[2] + r21 * tool[5] + r22 * tool[8]
    pose[9] = x + r00 * tool[9] + r01 * tool[10] + r02 * tool[11]
    pose[10] = y + r10 * tool[9] + r11 * tool[10] + r12 * tool[11]
    pose[11] = z + r20 * tool[9] + r21 * tool[10] + r22 * tool[11]


@compiled
def geometric_jacobian(numbers, codes, first, last, axes, origins, pose, jacobian):
    """Geometric Jacobian (6, variables) in the base frame: tip velocity, then angular velocity.

    `axes`, `origins` and `pose` are what `forward` wrote; `jacobian` is written.
    """
    for i in range(6):
        for v in range(jacobian.shape[1]):
            jacobian[i, v] = 0.0
    for row in range(first, last):
        j = row - first
        v = codes[row, 1]
        k = numbers[row, 12]
        ax, ay, az = k * axes[j, 0], k * axes[j, 1], k * axes[j, 2]
        if codes[row, 0] == 0:
            x, y, z = pose[9] - origins[j, 0], pose[10] - origins[j, 1], pose[11] - origins[j, 2]
            jacobian[0, v] += ay * z - az * y
            jacobian[1, v] += az * x - ax * z
            jacobian[2, v] += ax * y - ay * x
            jacobian[3, v] += ax
            jacobian[4, v] += ay
            jacobian[5, v] += az
        else:
            jacobian[0, v] += ax
            jacobian[1, v] += ay
            jacobian[2, v] += az


@compiled
def forward_batch(numbers, codes, first, last, tool, q, poses, jacobians):
    """Poses (points, 12), and Jacobians (points, 6, variables) unless that array is empty."""
    joints = last - first
    axes = np.empty((joints, 3))
    origins = np.empty((joints, 3))
    for p in range(q.shape[0]):
        forward(numbers, codes, first, last, tool, q[p], axes, origins, poses[p])
        if jacobians.shape[0] > 0:
            geometric_jacobian(numbers, codes, first, last, axes, origins, poses[p], jacobians[p])
