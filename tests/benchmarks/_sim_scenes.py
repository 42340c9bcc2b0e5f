"""Five scenes of bodies in contact, and what is judged of them.

It needs numpy alone: it is read by the environment of the peers as well.
"""

from dataclasses import dataclass

import numpy as np

#: [s], [m/s^2], thickness of the layer round each body [m].
STEP, GRAVITY, PADDING = 0.001, 9.81, 0.0025
#: Edge of a cube, its half, and radius of the ball [m].
EDGE, HALF, RADIUS = 0.2, 0.1, 0.1
#: Of the ground, whose top is at z = 0 before it is tilted [m].
GROUND = (20.0, 4.0, 0.2)
#: A thin plate [m], and how far it leans when it falls on its edge [rad].
PLATE, LEANS = (0.2, 0.12, 0.002), 1.4
#: Angle of the ramp [rad], and restitution of the ball.
RAMP, BOUNCE = 0.3, 0.6
#: The end of a run, over which rest is judged [s].
END = 0.5
#: Columns of what is recorded of a body: position, rotation by rows, velocity.
POSITION, ROTATION, VELOCITY = slice(0, 3), slice(3, 12), slice(12, 15)


@dataclass(frozen=True)
class Piece:
    """A body.

    Args:
        size: of a box [m]; a ball has its radius alone.
        mass: [kg].
        pose: (4, 4) of its middle at first.
    """

    size: tuple[float, ...]
    mass: float
    pose: np.ndarray


@dataclass(frozen=True)
class Scene:
    """Bodies above the ground.

    Args:
        name: of the scene.
        pieces: the bodies.
        seconds: that are simulated.
        tilt: of the ground, about y [rad].
        friction, restitution: of all.
        rests: whether all is at rest at the end.
    """

    name: str
    pieces: tuple[Piece, ...]
    seconds: float
    tilt: float = 0.0
    friction: float = 0.5
    restitution: float = 0.0
    rests: bool = True


def leaning(angle: float) -> np.ndarray:
    """(4, 4) turn about y."""
    pose = np.eye(4)
    pose[0, 0] = pose[2, 2] = np.cos(angle)
    pose[0, 2], pose[2, 0] = np.sin(angle), -np.sin(angle)
    return pose


def above(height: float, angle: float = 0.0, tilt: float = 0.0) -> np.ndarray:
    """(4, 4) pose so far above ground that is tilted, leaning against it [m], [rad]."""
    lifted = leaning(angle)
    lifted[2, 3] = height
    return leaning(tilt) @ lifted


def scenes() -> list[Scene]:
    """All of them."""
    cube, rest = (EDGE, EDGE, EDGE), HALF + PADDING
    on_ramp = (Piece(cube, 2.0, above(rest, tilt=RAMP)),)
    levels = [rest + level * (EDGE + 2.0 * PADDING) for level in range(5)]
    dropped = above(0.5 * PLATE[0] + 0.03, LEANS)
    return [
        Scene('box at rest', (Piece(cube, 2.0, above(rest)),), 2.0),
        Scene('box on a ramp, sticks', on_ramp, 2.0, RAMP, 0.5),
        Scene('box on a ramp, slides', on_ramp, 1.0, RAMP, 0.2, rests=False),
        Scene('bouncing ball', (Piece((RADIUS,), 1.0, above(0.6)),), 0.7, 0.0, 0.5, BOUNCE, False),
        Scene('stack of five', tuple(Piece(cube, 2.0, above(z)) for z in levels), 2.0),
        Scene('thin plate on its edge', (Piece(PLATE, 0.2, dropped),), 3.0),
    ]


def overlaps(scene: Scene, path: np.ndarray) -> np.ndarray:
    """(steps,) how deep layers are in each other at most; less than 0: they are apart [m].

    Args:
        scene: of one body above the ground, or of cubes on each other.
        path: (steps, bodies, 15) of the bodies.
    """
    place, turn = path[:, 0, POSITION], path[:, 0, ROTATION].reshape(-1, 3, 3)
    up, size = leaning(scene.tilt)[:3, 2], scene.pieces[0].size
    if len(size) == 1:
        low = np.full(len(path), size[0])
    else:
        low = np.abs(np.einsum('i,tij->tj', up, turn)) @ np.array(size) / 2.0
    found = [low + PADDING - place @ up]
    for one in range(1, len(scene.pieces)):
        distance = path[:, one, 2] - path[:, one - 1, 2]
        found.append(EDGE + 2.0 * PADDING - distance)
    return np.max(found, axis=0)


def figure(scene: Scene, path: np.ndarray) -> str:
    """What the scene is about, beside what is right."""
    speed = path[:, 0, VELOCITY]
    if scene.restitution:
        fall = np.flatnonzero((speed[:-1, 2] < 0.0) & (speed[1:, 2] > 0.0))
        if not len(fall):
            return 'does not bounce'
        hit = np.sqrt(2.0 * GRAVITY * (scene.pieces[0].pose[2, 3] - RADIUS - PADDING))
        after = speed[fall[0] : fall[0] + 40, 2].max()
        return f'leaves {after / hit:.3f} of the speed; right is {scene.restitution}'
    if scene.tilt:
        along = path[:, 0, POSITION] @ leaning(scene.tilt)[:3, 0]
        right = GRAVITY * (np.sin(scene.tilt) - scene.friction * np.cos(scene.tilt))
        if right > 0.0:
            found = 2.0 * (along[-1] - along[0]) / scene.seconds**2
            return f'slides with {found:.4f} m/s²; right is {right:.4f}'
        last = along[-round(END / STEP) :]
        return f'creeps {1e6 * (last[-1] - last[0]) / END:.1f} µm/s; right is 0'
    if len(scene.pieces) > 1:
        way = path[-1, :, POSITION] - path[0, :, POSITION]
        return f'top goes {1e3 * np.linalg.norm(way[-1]):.3f} mm; right is 0'
    level = min(scene.pieces[0].size) / 2.0 + PADDING
    return f'rests {1e6 * (path[-1, 0, 2] - level):+.1f} µm off; right is 0'


def jitter(path: np.ndarray) -> float:
    """Largest speed of a body at the end, 0.1 m beside its middle as well [m/s].

    It is of places, not of the speeds that are told: these need not be those of the motion.
    """
    last = path[-round(END / STEP) :]
    way = np.linalg.norm(np.diff(last[..., POSITION], axis=0), axis=-1)
    turn = np.linalg.norm(np.diff(last[..., ROTATION], axis=0), axis=-1) / np.sqrt(2.0)
    return float((way + 0.1 * turn).max() / STEP)
