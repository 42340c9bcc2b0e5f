"""A starfish that crawls: a free rigid disc with five soft arms, of which four row.

Each of the four presses down while it sweeps back, which lifts the disc and pushes it ahead, and
is held up while it sweeps forwards. The fifth arm points ahead and is held up all the time.
"""

from contextlib import closing

import numpy as np
from matplotlib.figure import Figure

from softshell_common.gravity import GRAVITY
from softshell_continuum.forms import (
    ActuatorForm,
    Arrangement,
    AssemblyForm,
    JointForm,
    LinkForm,
    ManipulatorForm,
    MemberForm,
)
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Plane
from softshell_sim.soft.base import Base
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, eye_about, view_from
from softshell_studies.outcome import Check, Outcome

#: Radius, height [m] and mass [kg] of the disc.
DISC_RADIUS, DISC_HEIGHT, DISC_MASS = 0.03, 0.02, 0.06
#: Length of an arm [m], number of its segments, radius [m] and mass [kg] of a segment.
LENGTH, SEGMENTS, RADIUS, MASS = 0.1, 5, 0.008, 0.004
#: Stiffness of joints that bend to the side and down [N m/rad]; damping divided by stiffness [s].
STIFFNESS, DAMPING = (0.06, 0.12), 0.05
#: Torques in joints that bend to the side and down [N m].
TORQUES = 0.015, 0.03
#: (arms,) yaw of each arm [rad], and the side on which it is: 1 left, -1 right, 0 ahead.
YAWS = 0.4 * np.pi * np.arange(5)
SIDES = (0, 1, 1, -1, -1)
#: Friction of the ground and the starfish.
FRICTION = 0.8
#: Time at rest before crawling, of a cycle, of the rise of torques, and at rest after [s]; number
#: of cycles.
BEFORE, PERIOD, RISE, AFTER, CYCLES = 1.0, 1.0, 0.5, 0.5, 5
#: Time step [s].
STEP = 0.001
#: Mean of the ways in both engines [m], and by which part each may differ from it.
WAY, TOLERANCE = 0.213, 0.05


def starfish() -> AssemblyForm:
    """The definition of the starfish, whose origin is the middle of the disc's underside."""
    link = LinkForm(shape=Shape.CAPSULE, dimensions=(LENGTH / SEGMENTS, RADIUS), mass=MASS)
    # Of an arm x points down, y to the side and z out.
    joints = tuple(
        JointForm(axis=axis, stiffness=stiffness, damping=DAMPING * stiffness)
        for axis, stiffness in zip(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), STIFFNESS, strict=True)
    )
    actuator = ActuatorForm(
        length=LENGTH, n_segments=SEGMENTS, link=link, joints=joints,
        arrangement=Arrangement.TOGETHER,
    )  # fmt: skip
    arm = ManipulatorForm(name='arm', actuators=(actuator,))
    disc = LinkForm(shape=Shape.CYLINDER, dimensions=(DISC_HEIGHT, DISC_RADIUS), mass=DISC_MASS)
    arms = [
        MemberForm(
            name=f'arm_{number}', manipulator=arm,
            pose=(
                DISC_RADIUS * np.cos(yaw), DISC_RADIUS * np.sin(yaw), 0.5 * DISC_HEIGHT,
                0.0, 0.5 * np.pi, yaw,
            ),
        )
        for number, yaw in enumerate(YAWS)
    ]  # fmt: skip
    return AssemblyForm(name='starfish', members=(MemberForm(name='disc', link=disc), *arms))


def torques(time: float, side: int) -> Array:
    """(2,) torques in the joints of an arm about its x and y [N m].

    Args:
        time: since the start of the first cycle [s].
        side: on which the arm is: 1 left, -1 right, 0 ahead.
    """
    if not 0.0 < time < CYCLES * PERIOD:
        return np.zeros(2)
    grown, phase = min(time / RISE, 1.0), 2.0 * np.pi * time / PERIOD
    down = np.sin(phase) if side else -1.0
    return grown * np.array([side * np.cos(phase), down]) * TORQUES


def run(engine: str, film: Film) -> Outcome:
    """Let the starfish lie, crawl, and lie again.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    with closing(make_engine(engine, EngineSettings(STEP, GRAVITY, False))) as world:
        surface = Surface(FRICTION)
        ground = world.add(ObjectSpec('ground', Plane(), surface=surface))
        soft = SoftBody(world, starfish(), shift(z=0.001), Base.FREE, surface=surface)
        view = view_from(eye_about(np.array([0.08, 0.0, 0.0]), 0.6, -1.0, 0.6), (0.08, 0.0, 0.0))
        force, pressed, places = np.zeros((1, 3)), [], []
        for k in range(round((BEFORE + CYCLES * PERIOD + AFTER) / STEP)):
            time = k * STEP - BEFORE
            for number, side in enumerate(SIDES):
                soft.bend(f'arm_{number}', torques(time, side))
            soft.apply()
            world.step()
            if -0.2 < time < 0.0:
                world.contact_forces(ground, force)
                pressed.append(-force[0, 2])
            places.append(soft.origin)
            film.look(world, view, k * STEP)
        weight = GRAVITY * world.mass(soft.body)
    path = np.array(places)
    way, last = path[-1, :3, 3] - path[0, :3, 3], path[-1]
    return Outcome(
        [
            Check('way ahead', way[0], 'm', (1.0 - TOLERANCE) * WAY, (1.0 + TOLERANCE) * WAY),
            Check('way aside / way ahead', abs(way[1]) / way[0], '', highest=0.02),
            Check('turn', abs(np.degrees(np.arctan2(last[1, 0], last[0, 0]))), '°', highest=1.0),
            Check('force of the ground / weight', np.mean(pressed) / weight, '', 0.99, 1.01),
            Check('cosine of the tilt at the end', last[2, 2], '', 0.999),
        ],
        {
            'way': f'{way[0] / LENGTH:.2f} lengths of an arm',
            'largest height above the ground': f'{1e3 * path[:, 2, 3].max():.1f} mm',
        },
        {'way': _plot(path)},
    )


def _plot(path: Array) -> Figure:
    figure = Figure(figsize=(7.0, 4.5), layout='constrained')
    upper, lower = figure.subplots(2, 1, sharex=True)
    times = STEP * np.arange(len(path)) - BEFORE
    upper.plot(times, path[:, 0, 3], label='ahead')
    upper.plot(times, path[:, 1, 3], label='aside')
    upper.set_ylabel('way of the disc [m]')
    upper.legend()
    lower.plot(times, 1e3 * path[:, 2, 3])
    lower.set_ylabel('height of the disc [mm]')
    lower.set_xlabel('time [s]')
    return figure
