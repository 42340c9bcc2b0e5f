"""Where a robot begins: its pose, and the height at which it just touches the ground."""

import numpy as np

from softshell_control.joint_map import JointMap
from softshell_description.expand import resolve_meshes
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import inverse, shift
from softshell_sim.bodies import Body, BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.joints.limits import limit_problems
from softshell_sim.number_checks import is_number
from softshell_sim.physics.engine import Engine
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Plane
from softshell_sim.soft.member import anisotropic_friction_of, springs_of
from softshell_sim.urdf.losses import warn_of_losses

#: Largest gap that is looked for while a robot is lowered, and one that counts as contact [m].
REACH, TOUCHING = 0.25, 1e-5
#: Depth below the world's origin at which nothing more is looked for [m].
DEEPEST = 20.0
#: Height up to which room is looked for above ground that a robot begins in [m].
HIGHEST = 1000.0


def start_pose(robot: RobotModel, pose: Array | None, height: float | None) -> Array:
    """(independent,) joint positions that a robot begins with [rad] or [m].

    Args:
        robot: the robot.
        pose: (independent,) that is asked for; None: the robot's start pose.
        height: of the base link that is asked for [m].

    Raises:
        ProblemsError: the pose has not one finite position within the limits for each joint, or
            the height is not finite.
    """
    names = robot.joint_names
    problems: list[str] = []
    try:
        given = robot.pose(robot.start) if pose is None else pose
        positions = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        text = f'pose is {pose!r}; expected one position for each of {", ".join(names)}'
        raise ProblemsError('reset of the world', [text]) from None
    if positions.shape != (len(names),):
        problems.append(
            f'pose has the shape {positions.shape}; expected ({len(names)},), one position for '
            f'each of {", ".join(names)}'
        )
    else:
        at = dict(zip(names, positions.tolist(), strict=True))
        endless = {name: value for name, value in at.items() if not np.isfinite(value)}
        problems += [
            f'pose of {name!r} is {value}; expected a finite number'
            for name, value in endless.items()
        ]
        finite = {name: value for name, value in at.items() if name not in endless}
        problems += limit_problems(robot.urdf_text, finite)
    if height is not None and not (is_number(height) and np.isfinite(height)):
        problems.append(f'height is {height!r} m; expected a finite number')
    if problems:
        raise ProblemsError('reset of the world', problems)
    return positions


def place_base(engine: Engine, body: Body, base_in_root: Array, height: float) -> None:
    """Put the base link above the world's origin, level and at rest.

    Args:
        engine, body: the robot.
        base_in_root: (4, 4) pose of the base link in the root link.
        height: of the base link [m].
    """
    engine.place(body, BodyState.at_rest(shift(z=height) @ inverse(base_in_root)))


def put_down(
    engine: Engine,
    body: Body,
    base_in_root: Array,
    size: Array,
    robot: RobotModel,
    height: float | None,
) -> None:
    """Put a robot level at a height [m], or, if that is None, where it just touches the ground.

    Args:
        engine, body: the robot.
        base_in_root: (4, 4) pose of the base link in the root link.
        size: as of `start_height`.
        robot: its model.
        height: of the base link [m], or None.

    Raises:
        SoftshellError: no height is given, and the robot has no collision shape, or no room.
    """
    if height is None:
        height = start_height(engine, body, base_in_root, size, robot)
    place_base(engine, body, base_in_root, height)


def robot_spec(
    robot: RobotModel,
    joint_map: JointMap,
    settings: WorldSettings,
    urdf: str,
    rotor_inertia: Array,
) -> RobotSpec:
    """A robot as an engine loads it; a warning names losses of its joints that do not count.

    Args:
        robot: the robot.
        joint_map: order of its joints.
        settings: of the world.
        urdf: flattened text of its URDF.
        rotor_inertia: (joints,) of the motors [kg m^2] or [kg].
    """
    warn_of_losses(robot, urdf)
    moved = [part for spec in robot.soft.values() for part in spec.moved]
    parts = [part for spec in robot.soft.values() for part in spec.parts]
    return RobotSpec(
        'robot',
        resolve_meshes(urdf, robot.urdf_folder),
        joint_map.names,
        robot.base.fixed,
        settings.self_collision,
        Surface(1.0, settings.restitution),
        settings.padding,
        rotor_inertia=tuple(rotor_inertia.tolist()),
        springs=springs_of(moved, joint_map.driven) if moved else None,
        anisotropic=anisotropic_friction_of(parts, robot.urdf.bodies),
    )


def extent(size: Array) -> float:
    """Diagonal of a (3,) size [m], at least `REACH`: meshes count as points."""
    return max(float(np.linalg.norm(size)), REACH)


def start_height(
    engine: Engine,
    body: Body,
    base_in_root: Array,
    size: Array,
    robot: RobotModel,
) -> float:
    """Height of the base link [m] at which a robot just touches what is below it.

    It is 0 for a robot with a fixed base, and for one that has nothing below it. A robot that
    begins in something is below nothing: it is first lifted out of that.

    Args:
        engine, body: the robot, its joints where they will be; it is left at some height.
        base_in_root: (4, 4) pose of the base link in the root link.
        size: (3,) of the robot [m].
        robot: the robot.

    Raises:
        SoftshellError: the robot has no collision shape, or no room up to `HIGHEST`.
    """
    if robot.base.fixed:
        return 0.0
    loaded = engine.specs[body.name]
    assert isinstance(loaded, RobotSpec)
    if '<collision' not in loaded.urdf:
        raise SoftshellError(
            f'robot {robot.name!r} has no <collision> shape to stand on; '
            'expected one, or a fixed base'
        )
    height = 0.1 + 2.0 * float(np.linalg.norm(size))
    place_base(engine, body, base_in_root, height)
    others = [other for other in engine.bodies.values() if other is not body]
    alone = engine.specs[others[0].name] if len(others) == 1 else None
    if isinstance(alone, ObjectSpec) and isinstance(alone.shape, Plane):
        gaps = engine.gaps(body, others[0], height + DEEPEST)
        height -= min((gap.distance for gap in gaps), default=0.0)
    while _free(engine, body, others, base_in_root, height) < -TOUCHING:
        height += extent(size)
        if height > HIGHEST:
            raise SoftshellError(
                f'robot {robot.name!r} overlaps other bodies at all heights up to {HIGHEST:g} m; '
                'expected room for it above the origin'
            )
    return _descend(engine, body, others, base_in_root, height)


def _free(
    engine: Engine, body: Body, others: list[Body], base_in_root: Array, height: float
) -> float:
    """Smallest gap around a robot at a height, at most `REACH`; negative: it overlaps [m]."""
    place_base(engine, body, base_in_root, height)
    # Over large distances to height fields, PyBullet takes seconds and is inexact.
    gaps = (gap.distance for other in others for gap in engine.gaps(body, other, REACH))
    return min(gaps, default=REACH)


def _descend(
    engine: Engine, body: Body, others: list[Body], base_in_root: Array, height: float
) -> float:
    """Height at which a robot touches: it is lowered by the smallest gap around it, repeatedly."""
    while height > -DEEPEST:
        free = _free(engine, body, others, base_in_root, height)
        if free < TOUCHING:
            return height
        height -= free
    return 0.0
