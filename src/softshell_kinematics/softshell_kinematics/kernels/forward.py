"""Forward kinematics of one chain."""

from softshell_kinematics.kernels.bundles import Chain, Floats, Integers
from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.kernels.so3 import sine_and_cosine
from softshell_kinematics.kernels.work import POSE, Q, allocate


@compiled
def forward(chain: Chain, row_q: int, work: Floats, frames: Floats) -> None:
    """Write the tip's pose to POSE, and each moving joint's axis and origin to `frames`.

    Args:
        chain: the chain.
        row_q: the row of `work` that holds the variables.
        work, frames: see `work`.
    """
    numbers, codes, first, last, _ = chain
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
        frames[j, 0], frames[j, 1], frames[j, 2] = b02, b12, b22
        position = numbers[row, 12] * work[row_q, codes[row, 1]] + numbers[row, 13]
        r02, r12, r22 = b02, b12, b22
        if codes[row, 0] == 0:
            frames[j, 3], frames[j, 4], frames[j, 5] = x, y, z
            s, c = sine_and_cosine(position)
            r00, r01 = c * b00 + s * b01, c * b01 - s * b00
            r10, r11 = c * b10 + s * b11, c * b11 - s * b10
            r20, r21 = c * b20 + s * b21, c * b21 - s * b20
        else:
            r00, r01, r10, r11, r20, r21 = b00, b01, b10, b11, b20, b21
            x += position * b02
            y += position * b12
            z += position * b22
    work[POSE, 0] = r00 * numbers[last, 0] + r01 * numbers[last, 3] + r02 * numbers[last, 6]
    work[POSE, 1] = r00 * numbers[last, 1] + r01 * numbers[last, 4] + r02 * numbers[last, 7]
    work[POSE, 2] = r00 * numbers[last, 2] + r01 * numbers[last, 5] + r02 * numbers[last, 8]
    work[POSE, 3] = r10 * numbers[last, 0] + r11 * numbers[last, 3] + r12 * numbers[last, 6]
    work[POSE, 4] = r10 * numbers[last, 1] + r11 * numbers[last, 4] + r12 * numbers[last, 7]
    work[POSE, 5] = r10 * numbers[last, 2] + r11 * numbers[last, 5] + r12 * numbers[last, 8]
    work[POSE, 6] = r20 * numbers[last, 0] + r21 * numbers[last, 3] + r22 * numbers[last, 6]
    work[POSE, 7] = r20 * numbers[last, 1] + r21 * numbers[last, 4] + r22 * numbers[last, 7]
    work[POSE, 8] = r20 * numbers[last, 2] + r21 * numbers[last, 5] + r22 * numbers[last, 8]
    work[POSE, 9] = x + r00 * numbers[last, 9] + r01 * numbers[last, 10] + r02 * numbers[last, 11]
    work[POSE, 10] = y + r10 * numbers[last, 9] + r11 * numbers[last, 10] + r12 * numbers[last, 11]
    work[POSE, 11] = z + r20 * numbers[last, 9] + r21 * numbers[last, 10] + r22 * numbers[last, 11]


@compiled
def geometric_jacobian(chain: Chain, work: Floats, frames: Floats, jacobian: Floats) -> None:
    """Geometric Jacobian (6, variables) in the base frame: tip velocity, then angular velocity.

    `work` and `frames` are as `forward` left them; `jacobian` is written.
    """
    numbers, codes, first, last, _ = chain
    for i in range(6):
        for v in range(jacobian.shape[1]):
            jacobian[i, v] = 0.0
    for row in range(first, last):
        j = row - first
        v = codes[row, 1]
        k = numbers[row, 12]
        ax, ay, az = k * frames[j, 0], k * frames[j, 1], k * frames[j, 2]
        if codes[row, 0] == 0:
            x = work[POSE, 9] - frames[j, 3]
            y = work[POSE, 10] - frames[j, 4]
            z = work[POSE, 11] - frames[j, 5]
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


@entry
def forward_batch(
    numbers: Floats, codes: Integers, largest: Floats, q: Floats, poses: Floats, jacobians: Floats
) -> int:
    """Poses (points, 12), and Jacobians (points, 6, variables) unless that array is empty.

    Args:
        numbers, codes: of the chain.
        largest: (variables,) largest magnitude of each variable.
        q: (points, variables)
        poses, jacobians: written.

    Returns:
        -1, or, where it stops, the flat index into q of the first number that is larger, NaN or
        infinite.
    """
    chain = Chain(numbers, codes, 0, numbers.shape[0] - 1, q.shape[1])
    memory = allocate(chain.last, chain.n)
    work, frames = memory.work, memory.frames
    for p in range(q.shape[0]):
        for i in range(chain.n):
            if not abs(q[p, i]) <= largest[i]:
                return p * chain.n + i
            work[Q, i] = q[p, i]
        forward(chain, Q, work, frames)
        for i in range(12):
            poses[p, i] = work[POSE, i]
        if jacobians.shape[0] > 0:
            geometric_jacobian(chain, work, frames, jacobians[p])
    return -1
