"""How the cost of a step grows with boxes that touch, and with legs."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box, Plane

STEP, GRAVITY = 0.001, 9.81
#: Boxes on each other, and the edge of one [m].
HIGH, EDGE = 4, 0.1
#: Joints of a leg, and length of each of its links [m].
JOINTS, LENGTH = 3, 0.1
#: Gains of each joint [N m/rad], [N m s/rad].
KP, KD = 30.0, 0.1
#: Steps to come to rest, and of one of the times of which the least tenth is taken.
SETTLE, BLOCK = 300, 20
#: How large is grown.
BOXES, LEGS = (1, 2, 4, 8, 16, 32), (1, 2, 4, 6, 8, 12, 16)


def engine_of(name: str) -> Engine:
    """An engine with a floor."""
    engine = make_engine(name, EngineSettings(STEP, GRAVITY, window=False))
    engine.add(ObjectSpec('floor', Plane(), surface=Surface(0.8)))
    return engine


def boxes(name: str, count: int, blocks: int) -> tuple[int, float]:
    """Boxes in stacks of some.

    Args:
        name: of the engine.
        count: of boxes.
        blocks: how often it is timed.

    Returns:
        Contacts, and what a step costs [us].
    """
    engine = engine_of(name)
    for number in range(count):
        stack, place = divmod(number, HIGH)
        pose = shift(x=0.2 * (stack % 4), y=0.2 * (stack // 4), z=EDGE * (place + 0.5))
        shape = Box((EDGE, EDGE, EDGE))
        engine.add(ObjectSpec(f'box{number}', shape, 1.0, pose, Surface(0.8)))
    cost = _timed(engine.step, blocks)
    contacts = len(engine.all_contacts().depth)
    engine.close()
    return contacts, cost


def legs(name: str, count: int, blocks: int) -> tuple[int, float]:
    """A disc on legs of three joints, held by springs.

    Args:
        name: of the engine.
        count: of legs.
        blocks: how often it is timed.

    Returns:
        Legs, and what a step costs with its control [us].
    """
    engine = engine_of(name)
    joints = tuple(f'joint_{leg}_{place}' for leg in range(count) for place in range(JOINTS))
    body = engine.load(RobotSpec('spider', spider(count), joints, surface=Surface(1.0)))
    engine.place(body, BodyState(np.array([0.0, 0.0, (JOINTS - 1) * LENGTH + 0.02])))
    position, velocity = np.zeros(len(joints)), np.zeros(len(joints))

    def step() -> None:
        engine.read_joints(body, position, velocity)
        engine.apply_effort(body, -KP * position - KD * velocity)
        engine.step()

    cost = _timed(step, blocks)
    engine.close()
    return count, cost


def _timed(step: Callable[[], None], blocks: int) -> float:
    """What it costs while nobody else has the processor [us]."""
    for _ in range(SETTLE):
        step()
    times = []
    for _ in range(blocks):
        begin = time.perf_counter()
        for _ in range(BLOCK):
            step()
        times.append(time.perf_counter() - begin)
    return 1e6 * float(np.percentile(times, 10)) / BLOCK


def spider(count: int) -> str:
    """URDF of a disc with legs: outwards, then two links down, the last with a round foot."""
    parts = [_link('hub', '0 0 0', 1.0, 0.01, '<cylinder radius="0.1" length="0.04"/>')]
    for leg in range(count):
        angle = 2.0 * np.pi * leg / count
        parent, place = 'hub', f'{0.1 * np.cos(angle):.6f} {0.1 * np.sin(angle):.6f} 0'
        for joint in range(JOINTS):
            name = f'link_{leg}_{joint}'
            end = f'{LENGTH} 0 0' if joint == 0 else f'0 0 {-LENGTH}'
            foot = '<sphere radius="0.02"/>' if joint == JOINTS - 1 else ''
            axis, turn = ('0 0 1', angle) if joint == 0 else ('0 1 0', 0.0)
            parts.append(_link(name, end, 0.1, 1e-3, foot))
            parts.append(
                f'<joint name="joint_{leg}_{joint}" type="revolute"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{place}" rpy="0 0 {turn:.6f}"/>'
                f'<axis xyz="{axis}"/><limit lower="-2" upper="2" effort="9" velocity="9"/>'
                '</joint>'
            )
            parent, place = name, end
    lines = '\n'.join(parts)
    return f'<robot name="spider">{lines}</robot>'


def _link(name: str, place: str, mass: float, moment: float, shape: str) -> str:
    """A link whose mass, and shape, is at a place."""
    origin = f'<origin xyz="{place}"/>'
    solid = f'<collision>{origin}<geometry>{shape}</geometry></collision>' if shape else ''
    return (
        f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/><inertia ixx="{moment}" '
        f'iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>{solid}</link>'
    )


def draw(found: dict[str, dict[str, Array]], path: Path) -> None:
    """Draw what was found.

    Args:
        found: by 'contacts' or 'legs', by engine: (sizes, 2) how many, and the cost [us].
        path: of the picture.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.0), layout='constrained')
    for axes, (what, engines) in zip(figure.subplots(1, 2), found.items(), strict=True):
        for engine, rows in engines.items():
            axes.plot(rows[:, 0], rows[:, 1], 'o-', label=engine)
        axes.set(xlabel=what, ylabel='step [µs]', ylim=(0.0, None))
        axes.grid(alpha=0.3)
        axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
