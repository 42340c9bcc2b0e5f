"""A soft arm that wraps around a ball and throws it through a hoop.

The arm hangs beside a ball that lies on two rails. Its last two actuators curl around the ball,
the other three swing back and then forwards, and the curl opens.
"""

from collections.abc import Mapping
from contextlib import closing

import numpy as np
from matplotlib.figure import Figure

from softshell_continuum.forms import ActuatorForm, JointForm, LinkForm, ManipulatorForm
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import Body, BodyState, ObjectSpec, Surface
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Capsule, Compound, Plane, Sphere
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: From the published example (SoMo): number of actuators, length of one [m], its segments, mass of
#: a link [kg], stiffness of a joint [N m/rad], mass of the ball [kg], gravity [m/s^2].
ACTUATORS, LENGTH, SEGMENTS, MASS, STIFFNESS, BALL, GRAVITY = 5, 1.5, 10, 0.15, 1000.0, 0.1, 10.0
#: Damping of a joint [N m s/rad]; radii of links and ball [m].
DAMPING, THICK, RADIUS = 50.0, 0.1, 0.35
#: Height of the arm's base, and position of the ball: just in front of the arm, half a metre below
#: the first actuator that curls [m].
BASE, PLACE = 8.3, (0.0, RADIUS + THICK + 0.03, 3.3)
#: Soft contacts: between rigid ones the ball bounces in the curl, and where it lands is chance.
GRIP = Surface(friction=1.0, stiffness=3000.0, damping=15.0)
#: Moment of the curl [N m], and time at which it is reached [s].
CURL, CURLED = 650.0, 1.5
#: Moments of the swing [N m], and times at which they change and the curl opens [s]. Found by a
#: search for a swing whose ball lands within 0.1 m of the same point in MuJoCo and PyBullet, also
#: if moments differ a little.
BACK, FORTH, SWING, FORWARD, CEASE, RELEASE = 150.0, 80.0, 1.9, 2.6, 3.34, 3.34
#: Rise time of the swing back [s]; moment that opens the curl [N m].
RISE, OPEN = 0.3, 200.0
#: Position of the hoop [m]: between the points where the ball comes down in the two engines. Radii
#: of its ring and of the ring's tube [m]; the ring is twice as wide as the ball, as in basketball.
HOOP, RING, TUBE = np.array([0.0, 14.82, 6.0]), 0.7, 0.04
#: Time step, and longest duration [s].
STEP, DURATION = 0.001, 6.2
#: From one reading of the ball's contacts to the next [steps].
LOOK = 4


def arm() -> ManipulatorForm:
    """The definition of the arm: five actuators, with joints about x and y in turn."""
    link = LinkForm(shape=Shape.CAPSULE, dimensions=(LENGTH / SEGMENTS, THICK), mass=MASS)
    joints = tuple(
        JointForm(axis=axis, stiffness=STIFFNESS, damping=DAMPING)
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    )
    actuator = ActuatorForm(length=LENGTH, n_segments=SEGMENTS, link=link, joints=joints)
    return ManipulatorForm(name='arm', actuators=(actuator,) * ACTUATORS)


def run(engine: str, film: Film) -> Outcome:
    """Grasp the ball and throw it.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    with closing(make_engine(engine, EngineSettings(STEP, GRAVITY, False))) as world:
        down = transform(rotation_about((1.0, 0.0, 0.0), np.pi), np.zeros(3))
        soft = SoftBody(world, arm(), shift(0.0, 0.0, BASE) @ down, surface=GRIP)
        ball = _add_things(world)
        view = view_from((22.0, 3.0, 11.0), (0.0, 7.5, 7.0), 640, 400, 0.95)
        state, way, touched = BodyState(), [], dict[str, float]()
        for k in range(round(DURATION / STEP)):
            time = k * STEP
            for actuator in range(ACTUATORS):
                moment = _swing(time) if actuator < 3 else _curl(time)
                soft.bend('arm', [moment, 0.0], actuator)
            soft.apply()
            world.step()
            world.read(ball, state)
            way.append([time, *state.position])
            if k % LOOK == 0:
                touched |= {contact.other.name: time for contact in world.contacts(ball)}
            film.look(world, view, time)
            if len(way) > 1 and time > RELEASE and _passes(way[-2], way[-1]):
                break
    return _outcome(np.array(way), touched)


def _swing(time: float) -> float:
    """Moment in the joints of the first three actuators at a time [s], in [N m]."""
    if time < SWING:
        return 0.0
    if time < FORWARD:
        return -BACK * min((time - SWING) / RISE, 1.0)
    return FORTH if time < CEASE else 0.0


def _curl(time: float) -> float:
    """Moment in the joints of the last two actuators at a time [s], in [N m]."""
    return -OPEN if time > RELEASE else CURL * min(time / CURLED, 1.0)


def _passes(before: list[float], after: list[float]) -> bool:
    """Whether the ball's centre has fallen below the height of the hoop.

    Args:
        before, after: time [s] and position x, y, z [m] at two steps in a row.
    """
    return bool(before[3] > HOOP[2] >= after[3])


def _add_things(world: Engine) -> Body:
    """Add ground, rails, hoop and ball; returns the ball."""
    world.add(ObjectSpec('ground', Plane()))
    x, y, z = PLACE
    level = transform(rotation_about((1.0, 0.0, 0.0), 0.5 * np.pi), np.zeros(3))
    apart, thin = 0.25, 0.03
    below = z - np.sqrt((RADIUS + thin) ** 2 - apart**2)
    rails = [(shift(side * apart, y, below) @ level, Capsule(thin, 0.6)) for side in (-1.0, 1.0)]
    world.add(ObjectSpec('rails', Compound(tuple(rails))))
    count = 20
    side = 2.0 * RING * np.tan(np.pi / count)
    ring = []
    for angle in 2.0 * np.pi / count * np.arange(count):
        turn = transform(rotation_about((0.0, 0.0, 1.0), float(angle)), np.zeros(3))
        ring.append((turn @ shift(RING + TUBE, 0.0, 0.0) @ level, Capsule(TUBE, float(side))))
    pole = shift(0.0, RING + 0.4, -0.5 * HOOP[2]), Capsule(0.08, float(HOOP[2]) - 0.2)
    arm_of_it = shift(0.0, RING + 0.2, 0.0) @ level, Capsule(TUBE, 0.35)
    world.add(ObjectSpec('hoop', Compound((*ring, arm_of_it, pole)), pose=shift(*HOOP)))
    return world.add(ObjectSpec('ball', Sphere(RADIUS), BALL, shift(x, y, z), surface=GRIP))


def _outcome(way: Array, touched: Mapping[str, float]) -> Outcome:
    passed = way[-1, 3] <= HOOP[2] < way[-2, 3]
    off = float(np.linalg.norm(way[-1, 1:3] - HOOP[:2])) if passed else float('nan')
    lifted, left = touched.get('rails', float('nan')), touched.get('arm', float('nan'))
    illegal = [name for name in ('ground', 'hoop') if name in touched]
    flight = way[way[:, 0] > left]
    return Outcome(
        [
            # Up to this distance the whole ball is inside the ring.
            Check('distance from the middle of the ring', off, 'm', 0.0, RING - RADIUS),
            Check('rises above the ring by', float(flight[:, 3].max()) - HOOP[2], 'm', RADIUS),
            Check('carried by the arm alone for', left - lifted, 's', 1.0),
            Check('flies freely for', float(way[-1, 0]) - left, 's', 0.5),
            Check('contacts with ground or ring before', float(len(illegal)), '', 0.0, 0.0),
        ],
        {
            'left the arm': f'{left:.3f} s',
            'through the ring': f'{way[-1, 0]:.3f} s' if passed else 'never',
        },
        {'way': _plot(way)},
    )


def _plot(way: Array) -> Figure:
    figure = Figure(figsize=(8.0, 4.5), layout='constrained')
    axes = figure.subplots()
    held = way[:, 0] < RELEASE
    axes.plot(way[held, 2], way[held, 3], label='till the curl opens')
    axes.plot(way[~held, 2], way[~held, 3], label='after')
    for side in (-1.0, 1.0):
        axes.plot(HOOP[1] + side * (RING + TUBE), HOOP[2], 'ro', label='ring' if side > 0 else '')
    axes.set(xlabel='y [m]', ylabel='z [m]', aspect='equal')
    axes.grid(alpha=0.3)
    axes.legend()
    return figure
