"""A snake that slithers by waves of bending, because friction is lower along it than across.

Sizes of its links, stiffness of a joint, frequency and phase of the wave are those of SoMoGym's
`SnakeLocomotionDiscrete` and its sample trajectory in SI units (in SoMo's world, lengths are 20
times and torques 400 times as large). Gravity is that of the Earth in both. The differences:

- All joints bend it on the ground; there every second one lifts it, and it has a base and a tip.
- A link has 10 g; there 2.94 g.
- Friction is 0.3 across and 0.015 along; there it is 2, times 2 across and times 0.01 along.
- Torques are sines of 0.06 N m; those there, cut off at 0.2 N m, fold this snake up.
- Joints are damped so that the snake does not swing; there they have a dry friction of 0.001 N m.

With equal friction in all directions the snake stays where it is. Without any slip it would move
along its own curve by one wavelength in each cycle; no snake can be faster.
"""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from softshell_common.gravity import GRAVITY
from softshell_continuum.forms import ActuatorForm, JointForm, LinkForm, ManipulatorForm
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Plane
from softshell_sim.soft.base import Base
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, eye_about, view_from
from softshell_studies.outcome import Check, Outcome

#: Number of actuators, length of one [m] and its segments; radius [m] and mass [kg] of a link.
ACTUATORS, LENGTH, SEGMENTS, RADIUS, MASS = 8, 0.1, 4, 0.02, 0.01
#: Stiffness [N m/rad] and damping [N m s/rad] of a joint.
STIFFNESS, DAMPING = 0.2186, 0.0656
#: Friction across the snake, and friction along it as part of that.
FRICTION, ALONG = 0.3, 0.05
#: Stiffness [N/m] and damping [N s/m] of each contact. With rigid contacts, each engine would
#: distribute the weight over the links in its own way.
GROUND = 500.0, 5.0
#: Amplitude [N m] and frequency [rad/s] of the wave, phase from one actuator to the next [rad],
#: and rise time of the amplitude [s].
TORQUE, FREQUENCY, PHASE, RISE = 0.06, 1.0, 2.0, 1.0
#: Number of cycles, and number of cycles with equal friction in all directions.
CYCLES, TRIED = 10, 2
#: Time step [s].
STEP = 0.002
#: (arcs,) arc lengths of the points of the backbone whose mean is followed [m].
ARCS = np.linspace(0.0, ACTUATORS * LENGTH, 4 * ACTUATORS + 1)
#: Wavelength along the snake: its way in a cycle without slip [m].
WAVELENGTH = LENGTH * 2.0 * np.pi / PHASE


def snake(along: float = ALONG) -> ManipulatorForm:
    """The definition of the snake, which bends about one axis.

    Args:
        along: friction along it, as part of that across it.
    """
    link = LinkForm(
        shape=Shape.CAPSULE, dimensions=(LENGTH / SEGMENTS, RADIUS), mass=MASS,
        friction_along=along,
    )  # fmt: skip
    joint = JointForm(axis=(1.0, 0.0, 0.0), stiffness=STIFFNESS, damping=DAMPING)
    actuator = ActuatorForm(length=LENGTH, n_segments=SEGMENTS, link=link, joints=(joint,))
    return ManipulatorForm(name='snake', actuators=(actuator,) * ACTUATORS)


@dataclass(frozen=True, eq=False)
class Way:
    """The motion of the snake.

    Attributes:
        middle, head: (times, 3) mean and end of the backbone in the world [m].
        last: (arcs, 3) points of the backbone at the end [m].
    """

    middle: Array
    head: Array
    last: Array

    @property
    def ahead(self) -> float:
        """How far its middle moved along x [m]."""
        return float(self.middle[-1, 0] - self.middle[0, 0])

    @property
    def aside(self) -> float:
        """How far its middle moved along y, to either side [m]."""
        return float(abs(self.middle[-1, 1] - self.middle[0, 1]))


@dataclass(frozen=True)
class Wave:
    """Torques of a wave that runs along the snake.

    Attributes:
        torque: amplitude [N m].
        frequency: [rad/s].
        phase: from one actuator to the next [rad].
    """

    torque: float = TORQUE
    frequency: float = FREQUENCY
    phase: float = PHASE

    def at(self, time: float, actuator: int) -> float:
        """Torque of an actuator, by its number from the tail, at a time [s], in [N m]."""
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
    """Simulate the snake while it slithers along x, head first.

    Args:
        engine: name of the physics engine.
        along: friction along it, as part of that across it.
        cycles: number of cycles of the wave.
        film: takes the pictures; None: no pictures.
        wave: of torques; None: the default one.
        friction: across it.
    """
    wave = wave or Wave()
    with closing(make_engine(engine, EngineSettings(STEP, GRAVITY, False))) as world:
        surface = Surface(friction, 0.0, *GROUND)
        world.add(ObjectSpec('ground', Plane(), surface=surface))
        lying = transform(rotation_about((0.0, 1.0, 0.0), 0.5 * np.pi), (0.0, 0.0, RADIUS))
        soft = SoftBody(world, snake(along), lying, Base.FREE, surface=surface)
        middle, head, points = [], [], np.zeros((len(ARCS), 3))
        last = round(2.0 * np.pi / wave.frequency * cycles / STEP)
        for k in range(last + 1):
            time = k * STEP
            if k % 50 == 0 or k == last:
                points = soft.backbone('snake', ARCS)[0]
                middle.append(points.mean(axis=0))
                head.append(points[-1])
            for actuator in range(ACTUATORS):
                # The axis of its joints points down.
                soft.bend('snake', [-wave.at(time, actuator)], actuator)
            soft.apply()
            world.step()
            if film is not None:
                eye = eye_about(middle[-1], 1.0, -0.9, 0.7)
                film.look(world, view_from(eye, middle[-1]), time)
    return Way(np.array(middle), np.array(head), points)


def run(engine: str, film: Film) -> Outcome:
    """Let the snake slither, then once more with equal friction in all directions.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    film.speed = 5.0
    way = slither(engine, ALONG, CYCLES, film)
    alike = slither(engine, 1.0, TRIED)
    length = ACTUATORS * LENGTH
    return Outcome(
        [
            Check('way ahead', way.ahead / length, 'lengths', 1.5, CYCLES * WAVELENGTH / length),
            Check('way aside / way ahead', way.aside / way.ahead, '', highest=0.1),
            Check('height of the head', float(way.head[-1, 2]), 'm', 0.0, 1.5 * RADIUS),
            Check(
                'way in a cycle with equal friction in all directions / way in a cycle',
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
