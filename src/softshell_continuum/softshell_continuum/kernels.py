"""Energy of a chain of elastic joints with tendons, with its exact gradient and Hessian.

The potential is the energy of joints' springs and of tendons (tension times length, or that of a
stretch), minus the work of constant forces. In a serial chain the derivative of a joint's axis and
origin by any joint before it is a cross product. So all second derivatives of the loads follow
from three sums over the points beyond a joint: force, moment, and the dyadic product of positions
and forces. All is in one file, as numba's cache notices no change in another.
"""

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.compiled import entry, maker

Ints = NDArray[np.int64]
#: Ends, tendons and parts of spans; pulls and further lengths of tendons: see `potential`.
Tendons = tuple[Ints, Ints, Ints, Array, Array, Array]

#: Kinds of joints.
REVOLUTE, PRISMATIC = 0, 1
#: A span of a tendon that is shorter than this has no direction [m].
SHORTEST = 1e-12


@maker
def _cross(a: Array, b: Array, result: Array) -> None:
    result[0] = a[1] * b[2] - a[2] * b[1]
    result[1] = a[2] * b[0] - a[0] * b[2]
    result[2] = a[0] * b[1] - a[1] * b[0]


@maker
def _dot(a: Array, b: Array) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@maker
def _turned(rotation: Array, axis: Array, angle: float, result: Array) -> None:
    """Write R · exp(angle · axis), by Rodrigues' formula."""
    s, v = np.sin(angle), 2.0 * np.sin(0.5 * angle) ** 2
    x, y, z = axis[0], axis[1], axis[2]
    turn = np.empty((3, 3))
    turn[0, 0], turn[0, 1], turn[0, 2] = (
        1 - v * (y * y + z * z),
        v * x * y - s * z,
        v * x * z + s * y,
    )
    turn[1, 0], turn[1, 1], turn[1, 2] = (
        v * x * y + s * z,
        1 - v * (x * x + z * z),
        v * y * z - s * x,
    )
    turn[2, 0], turn[2, 1], turn[2, 2] = (
        v * x * z - s * y,
        v * y * z + s * x,
        1 - v * (x * x + y * y),
    )
    for i in range(3):
        for j in range(3):
            result[i, j] = (
                rotation[i, 0] * turn[0, j]
                + rotation[i, 1] * turn[1, j]
                + rotation[i, 2] * turn[2, j]
            )


@entry
def frames(
    kinds: Array, axes: Array, rotations: Array, offsets: Array, base: Array, q: Array
) -> tuple[Array, Array, Array]:
    """Poses of links, and axes of joints, in the world.

    Args:
        kinds: (joints,) REVOLUTE or PRISMATIC.
        axes: (joints, 3) unit, in the joint's frame.
        rotations: (joints, 3, 3) of the joint's frame in the link before.
        offsets: (joints, 3) positions of the joint's frame in the link before [m].
        base: (4, 4) pose of the base in the world.
        q: (joints,) positions [rad] or [m].

    Returns:
        (joints + 1, 3, 3) and (joints + 1, 3) rotation and origin of the base and all links in the
        world; (joints, 3) axes in the world.
    """
    count = len(q)
    turned, origins = np.empty((count + 1, 3, 3)), np.empty((count + 1, 3))
    world = np.empty((count, 3))
    turned[0], origins[0] = base[:3, :3], base[:3, 3]
    joint = np.empty((3, 3))
    for i in range(count):
        before = turned[i]
        for row in range(3):
            origins[i + 1, row] = origins[i, row] + _dot(before[row], offsets[i])
            for column in range(3):
                joint[row, column] = (
                    before[row, 0] * rotations[i, 0, column]
                    + before[row, 1] * rotations[i, 1, column]
                    + before[row, 2] * rotations[i, 2, column]
                )
            world[i, row] = _dot(joint[row], axes[i])
        if kinds[i] == REVOLUTE:
            _turned(joint, axes[i], q[i], turned[i + 1])
        else:
            turned[i + 1] = joint
            origins[i + 1] += world[i] * q[i]
    return turned, origins, world


@entry
def places(turned: Array, origins: Array, links: Ints, points: Array) -> Array:
    """Positions (points, 3) in the world of points (points, 3) in frames of links (points,) [m].

    Args:
        turned, origins: (links, 3, 3) and (links, 3) [m] as `frames` gives them; link 0 is the
            base.
    """
    result = np.empty(points.shape)
    for p in range(len(points)):
        link = links[p]
        for row in range(3):
            result[p, row] = origins[link, row] + _dot(turned[link, row], points[p])
    return result


@maker
def _span_columns(
    kinds: Array, world: Array, origins: Array, bounds: tuple[int, int], end: Array, delta: Array
) -> Array:
    """(there, 3) derivatives of a span by each joint before the link `there` of its further end.

    Joints before its first end turn the span as a whole; those after it move its further end.

    Args:
        kinds, world, origins: of joints, as in `frames`.
        bounds: numbers of the links of both ends.
        end: (3,) its further end [m].
        delta: (3,) from the first end to that.
    """
    here, there = bounds
    columns = np.zeros((there, 3))
    for i in range(there):
        if kinds[i] == REVOLUTE:
            _cross(world[i], end - origins[i + 1] if i >= here else delta, columns[i])
        elif i >= here:
            columns[i] = world[i]
    return columns


@maker
def _span_terms(
    columns: Array, along: Array, direction: Array, factor: float, hessian: Array
) -> None:
    """Add to the Hessian the part of a span that turns under tension.

    Args:
        columns: (joints, 3) derivatives of the span; their parts along the span are removed.
        along: (joints,) these parts, along the unit vector `direction` (3,) of the span.
        factor: tension of the span divided by its length [N/m].
        hessian: (joints, joints), is added to.
    """
    if factor == 0.0:
        return
    count = len(along)
    for i in range(count):
        for row in range(3):
            columns[i, row] -= along[i] * direction[row]
    for i in range(count):
        for j in range(count):
            hessian[i, j] += factor * _dot(columns[i], columns[j])


@maker
def _stretch_terms(taken: Array, stiffness: float, hessian: Array) -> None:
    """Add to the Hessian the part of a tendon whose tension changes as it stretches."""
    for i in range(len(taken)):
        for j in range(len(taken)):
            hessian[i, j] += stiffness * taken[i] * taken[j]


@maker
def _tensions(points: Array, tendons: Tendons) -> tuple[float, Array, Array]:
    """Energy of the tendons [J], (tendons,) their lengths [m] and tensions [N]."""
    starts, ends, owners, parts, pulls, more = tendons
    lengths, weighted = more.copy(), more.copy()
    for s in range(len(starts)):
        delta = points[ends[s]] - points[starts[s]]
        span = np.sqrt(_dot(delta, delta))
        lengths[owners[s]] += span
        weighted[owners[s]] += parts[s] * span
    energy, tensions = 0.0, np.empty(len(pulls))
    for t in range(len(pulls)):
        stretch = max(weighted[t] - pulls[t, 2], 0.0) if pulls[t, 1] > 0.0 else 0.0
        tensions[t] = pulls[t, 0] + pulls[t, 1] * stretch
        energy += pulls[t, 0] * weighted[t] + 0.5 * pulls[t, 1] * stretch * stretch
    return energy, lengths, tensions


@maker
def _beyond(links: Ints, points: Array, forces: Array, count: int) -> tuple[Array, Array, Array]:
    """Sums over points on links from each link outwards: force, moment, position ⊗ force."""
    force, moment = np.zeros((count + 2, 3)), np.zeros((count + 2, 3))
    dyadic, arm = np.zeros((count + 2, 3, 3)), np.empty(3)
    for p in range(len(points)):
        link = links[p]
        _cross(points[p], forces[p], arm)
        for row in range(3):
            force[link, row] += forces[p, row]
            moment[link, row] += arm[row]
            for column in range(3):
                dyadic[link, row, column] += points[p, row] * forces[p, column]
    for link in range(count - 1, -1, -1):
        force[link] += force[link + 1]
        moment[link] += moment[link + 1]
        dyadic[link] += dyadic[link + 1]
    return force, moment, dyadic


@maker
def _load_terms(
    kinds: Array,
    world: Array,
    origins: Array,
    sums: tuple[Array, Array, Array],
    gradient: Array,
    hessian: Array,
) -> None:
    """Subtract the first and second derivatives of the work of constant forces."""
    force, moment, dyadic = sums
    v, s = np.empty(3), np.empty((3, 3))
    for i in range(len(gradient)):
        f, axis, origin = force[i + 1], world[i], origins[i + 1]
        if kinds[i] == REVOLUTE:
            _cross(origin, f, v)
            for row in range(3):
                v[row] = moment[i + 1, row] - v[row]
            gradient[i] -= _dot(axis, v)
            for row in range(3):
                for column in range(3):
                    s[row, column] = dyadic[i + 1, row, column] - origin[row] * f[column]
            trace = s[0, 0] + s[1, 1] + s[2, 2]
            for row in range(3):
                v[row] = _dot(s[row], axis) - trace * axis[row]
        else:
            gradient[i] -= _dot(axis, f)
            _cross(axis, f, v)
        for j in range(i + 1 if kinds[i] == REVOLUTE else i):
            if kinds[j] == REVOLUTE:
                term = _dot(world[j], v)
                hessian[i, j] -= term
                if i != j:
                    hessian[j, i] -= term


@entry
def shortening(
    chain: tuple[Array, Array, Array, Array],
    q: Array,
    eyes: tuple[Ints, Array],
    spans: tuple[Ints, Ints, Array],
    outside: Array,
) -> tuple[Array, Array]:
    """Lengths of tendons, and their derivatives by the joints.

    Args:
        chain: kinds, axes, rotations and offsets of joints, as in `frames`.
        q: (joints,) positions [rad] or [m].
        eyes: (eyes,) links and (eyes, 3) points in their frames [m].
        spans: (spans,) first eye, tendon and part of its tension of each span.
        outside: (tendons,) lengths that are in no span [m].

    Returns:
        (tendons,) lengths [m]; (tendons, joints) their derivatives, weighted by the parts.
    """
    kinds, (links, points), (starts, owners, parts) = chain[0], eyes, spans
    turned, origins, world = frames(*chain, np.eye(4), q)
    at = places(turned, origins, links, points)
    lengths, taken = outside.copy(), np.zeros((len(outside), len(q)))
    for s in range(len(starts)):
        here, there = starts[s], starts[s] + 1
        delta = at[there] - at[here]
        span = max(np.sqrt(_dot(delta, delta)), SHORTEST)
        lengths[owners[s]] += span
        for i in range(links[here], links[there]):  # earlier ones turn it as a whole
            moves = world[i].copy()
            if kinds[i] == REVOLUTE:
                _cross(world[i], at[there] - origins[i + 1], moves)
            taken[owners[s], i] += parts[s] / span * _dot(moves, delta)
    return lengths, taken


@entry
def potential(
    kinds: Array,
    world: Array,
    origins: Array,
    springs: tuple[Array, Array, Array],
    q: Array,
    loads: tuple[Ints, Array, Array],
    tendons: Tendons,
) -> tuple[float, Array, Array, Array, Array, Array]:
    """Potential energy [J] with its derivatives by the joints.

    Args:
        kinds, world, origins: of joints, as in `frames`.
        springs: (joints,) stiffness [N m/rad] or [N/m], position at rest [rad] or [m], and
            constant torque or force on the joint [N m] or [N].
        q: (joints,) positions [rad] or [m].
        loads: (points,) links, (points, 3) positions in the world [m], (points, 3) forces [N].
            Ends of spans are among the points, with or without a force.
        tendons: (spans,) first and second point, tendon and part of its tension of each span;
            (tendons, 3) tension [N], stiffness [N/m] and length at rest [m], with which the sum
            of spans times their parts is compared; (tendons,) length that is in no span [m].

    Returns:
        Energy; (joints,) gradient; (joints, joints) Hessian; (tendons,) lengths [m]; (tendons,)
        tensions [N]; (tendons, joints) derivatives of the sums of spans times their parts, which
        are the lengths' derivatives if each span has all of the tension.
    """
    links, points, outer = loads
    starts, ends, owners, parts, pulls, _ = tendons
    stiffness, neutral, drive = springs
    count, forces = len(q), outer.copy()
    energy, gradient, hessian = 0.0, np.empty(count), np.zeros((count, count))
    for i in range(count):
        off = q[i] - neutral[i]
        energy += 0.5 * stiffness[i] * off * off - drive[i] * q[i]
        gradient[i] = stiffness[i] * off - drive[i]
        hessian[i, i] = stiffness[i]
    pulled, lengths, tensions = _tensions(points, tendons)
    energy += pulled - (outer * points).sum()
    taken = np.zeros((len(pulls), count))
    for s in range(len(starts)):
        share = parts[s] * tensions[owners[s]]
        delta = points[ends[s]] - points[starts[s]]
        span = max(np.sqrt(_dot(delta, delta)), SHORTEST)
        direction = delta / span
        forces[starts[s]] += share * direction
        forces[ends[s]] -= share * direction
        bounds = links[starts[s]], links[ends[s]]
        columns = _span_columns(kinds, world, origins, bounds, points[ends[s]], delta)
        along = columns @ direction
        taken[owners[s], : bounds[1]] += parts[s] * along
        _span_terms(columns, along, direction, share / span, hessian)
    for t in range(len(pulls)):
        if pulls[t, 1] > 0.0 and tensions[t] > 0.0:
            _stretch_terms(taken[t], pulls[t, 1], hessian)
    sums = _beyond(links, points, forces, count)
    _load_terms(kinds, world, origins, sums, gradient, hessian)
    return energy, gradient, hessian, lengths, tensions, taken
