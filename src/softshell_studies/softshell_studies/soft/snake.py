"""A snake that slithers: waves of bending go along it, and friction is less along it than across.

Its links, waves and stiffness are those of SoMo's snake in SI units (its world is 20 times as
large: lengths by 20, torques by 400). What is another here: gravity is that of the Earth, which
would be 196 in that world, where 9.81 is used; so friction is .3 across and .015 along, where SoMo
has 2 and .01. Torques are 0.06 N m and sines, for SoMo's ±0.2 N m fold the snake up; and its
joints are damped, which SoMo's are not, so that it does not swing.

Friction that is alike in all directions brings it nowhere. Without slipping it would go along its
own line by a wavelength of that in each cycle, so no snake is faster.
"""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from softshell_continuum.forms import ActuatorForm, JointForm, LinkForm, ManipulatorForm
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.engines import make_engine
from softshell_sim.shapes import Plane
from softshell_sim.soft.base import Base
from softshell_sim.soft_body import SoftBody
from softshell_studies.film import Film, eye_about, view_from
from softshell_studies.outcome import Check, Outcome

#: Actuators, their length [m] and segments; radius [m] and mass [kg] of a link.
ACTUATORS, LENGTH, SEGMENTS, RADIUS, MASS = 8, 0.1, 4, 0.02, 0.01
#: Stiffness [N m/rad] and damping [N m s/rad] of a joint.
STIFFNESS, DAMPING = 0.2186, 0.0656
#: Friction across, and that along as part of it.
FRICTION, ALONG = 0.3, 0.05
#: Each contact as a spring [N/m] and a damper [N s/m]: else how stiff links share their weight is
#: for the engine to choose.
GROUND = 500.0, 5.0
#: Torque [N m], its frequency [rad/s], phase from an actuator to the next [rad], time to grow [s].
TORQUE, FREQUENCY, PHASE, RISE = 0.06, 1.0, 2.0, 1.0
#: Cycles that it goes, and for which it tries without a difference in friction.
CYCLES, TRIED = 10, 2
STEP = 0.002
#: Of the backbone, of which the mean is followed [m].
ARCS = np.linspace(0.0, ACTUATORS * LENGTH, 4 * ACTUATORS + 1)
#: Way in a cycle without slip [m].
WAVELENGTH = LENGTH * 2.0 * np.pi / PHASE


def snake(along: float = ALONG) -> ManipulatorForm:
    """The snake, which bends about one axis; `along`: friction along it by that across."""
    link = LinkForm(
        shape=Shape.CAPSULE, dimensions=(LENGTH / SEGMENTS, RADIUS), mass=MASS,
        friction_along=along,
    )  # fmt: skip
    joint = JointForm(axis=(1.0, 0.0, 0.0), stiffness=STIFFNESS, damping=DAMPING)
    actuator = ActuatorForm(length=LENGTH, n_segments=SEGMENTS, link=link, joints=(joint,))
    return ManipulatorForm(name='snake', actuators=(actuator,) * ACTUATORS)


@dataclass(frozen=True, eq=False)
class Way:
    """How it went.

    Attributes:
        middle, head: (times, 3) mean and end of the backbone [m].
        last: (arcs, 3) where the backbone was at the end [m].
    """

    middle: Array
    head: Array
    last: Array

    @property
    def ahead(self) -> float:
        """How far its middle went along x [m]."""
        return float(self.middle[-1, 0] - self.middle[0, 0])

    @property
    def aside(self) -> float:
        """How far its middle was aside at the end [m]."""
        return float(abs(self.middle[-1, 1] - self.middle[0, 1]))


@dataclass(frozen=True)
class Wave:
    """Torques of a wave that goes along it; see `TORQUE`, `FREQUENCY`, `PHASE`."""

    torque: float = TORQUE
    frequency: float = FREQUENCY
    phase: float = PHASE

    def at(self, time: float, actuator: int) -> float:
        """Torque of an actuator at a time [s]."""
        grown = self.torque * min(time / RISE, 1.0)
        return float(grown * np.sin(self.frequency * time + self.phase * actuator))


def slither(
    engine: str,
    along: float,
    cycles: int,
    film: Film | None = None,
    wave: Wave | None = None,
    friction: float = FRICTION,
) -> Way:
    """Have it slither along x, to where its last actuator points.

    Args:
        engine: name of the engine.
        along: friction along it by that across.
        cycles: for how many.
        film: takes pictures.
        wave: of torques.
        friction: across it.
    """
    wave = wave or Wave()
    world = make_engine(engine, EngineSettings(STEP, 9.81, False))
    surface = Surface(friction, 0.0, *GROUND)
    world.add(ObjectSpec('ground', Plane(), surface=surface))
    lying = transform(rotation_about((0.0, 1.0, 0.0), 0.5 * np.pi), (0.0, 0.0, RADIUS))
    soft = SoftBody(world, snake(along), lying, Base.FREE, surface=surface)
    middle, head, points = [], [], np.zeros((len(ARCS), 3))
    for k in range(round(2.0 * np.pi / wave.frequency * cycles / STEP) + 1):
        time = k * STEP
        if k % 50 == 0:
            points = soft.backbone('snake', ARCS)[0]
            middle.append(points.mean(axis=0))
            head.append(points[-1])
        for actuator in range(ACTUATORS):
            # The axis of its joints points down.
            soft.bend('snake', [-wave.at(time, actuator)], actuator)
        soft.apply()
        world.step()
        if film is not None:
            eye = eye_about(middle[-1], 1.5, -0.9, 0.8)
            film.look(world, view_from(eye, middle[-1]), time)
    world.close()
    return Way(np.array(middle), np.array(head), points)


def run(engine: str, film: Film) -> Outcome:
    """Have it slither for some cycles.

    Args:
        engine: name of the engine.
        film: takes pictures.
    """
    film.speed = 5.0
    way = slither(engine, ALONG, CYCLES, film)
    alike = slither(engine, 1.0, TRIED)
    length = ACTUATORS * LENGTH
    return Outcome(
        [
            Check('way ahead', way.ahead / length, 'lengths', 1.5, CYCLES * WAVELENGTH / length),
            Check('way aside by way ahead', way.aside / way.ahead, '', highest=0.1),
            Check('height of the head', float(way.head[-1, 2]), 'm', 0.0, 1.5 * RADIUS),
            Check(
                'way in a cycle with friction alike in all directions, by that',
                abs(alike.ahead) / TRIED / (way.ahead / CYCLES), '', highest=0.1,
            ),
        ],
        {'way in a cycle without slip': f'{WAVELENGTH / length:.3f} lengths'},
        {'way': _plot(way)},
    )  # fmt: skip


def _plot(way: Way) -> Figure:
    figure = Figure(figsize=(8.0, 3.0), layout='constrained')
    axes = figure.subplots()
    axes.plot(*way.head.T[:2], lw=0.8, label='head')
    axes.plot(*way.middle.T[:2], label='middle')
    axes.plot(*way.last.T[:2], 'k', lw=3.0, alpha=0.5, label='snake at the end')
    axes.set_aspect('equal')
    axes.set_xlabel('x [m]')
    axes.set_ylabel('y [m]')
    axes.set_ylim(-0.2, 0.2)
    axes.legend(loc='upper left', ncols=3)
    return figure
