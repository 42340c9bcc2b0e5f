"""A hand of four soft fingers that turns a cube on its palm, again and again.

Two opposite fingers hold and turn the cube while the other two go back; then they change roles.
Places and sizes of the fingers and their links, the stiffness of each joint and the pressures are
those of a published hand, SoMo's example `ihm_fingergait`, converted from its scaled world to SI
units. SoMoGym's `InHandManipulation` has them too, with links that are stadiums. The differences:

- Where links meet, joints about x and y are both here, with axes that meet the backbone. There
  they alternate, so that an axis has half as many, and those about x are 6 mm beside it.
- Joints are damped; there they have a dry friction of 0.001 N m.
- Balls at the tips are centred on the ends; there they are 5 mm beyond and 5 mm beside them.
- Links have the inertia of the example's file, 190 to 400 times that of their shape. SoMo itself
  lets PyBullet use that of the shape, as `softshell_continuum.somo` does.
- The cube has sharp edges and 25 g, and SoMoGym's is smaller; there it is rounded and has 10 g.
- Frictions are 0.1 on the palm and 0.5 at the tips; there 0.15, 3 and 1.2 are given of palm,
  fingers and cube, which PyBullet multiplies. Already with 1.7 tips stick to the faces at odd
  angles, and the cube moves off the middle.
- Fingers do not collide with each other.
"""

import math
from contextlib import closing
from dataclasses import dataclass, field

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
from softshell_continuum.scaling import WorldScale
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Cylinder
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: Scale of the published world, in whose units the numbers in `hand` are.
SCALE = WorldScale(20.0)
#: Stiffness of joints about x and y, in units of the published world, and damping divided by
#: stiffness [s].
STIFFNESS, DAMPING = (87.43, 414.86), 0.02
#: Moment about x per mean of the two pressures of a finger, and moment about y per half of their
#: difference, in units of the published world.
GRASP, SIDE = 2.0, -6.5
#: (9, 4) pressures of the two chambers of fingers 1 and 3, then of fingers 2 and 4, at each second
#: of a cycle, in units of the published world.
PRESSURES = np.array(
    [
        [-5, -5, 16, 16],
        [-5, -5, 21, 11],
        [16, 16, 21, 11],
        [16, 16, 15, -5],
        [16, 16, -5, -5],
        [21, 11, -5, -5],
        [21, 11, 16, 16],
        [15, -5, 16, 16],
        [-5, -5, 16, 16],
    ],
    dtype=float,
)
#: Duration of a cycle, and of the rise of the pressures before the first one [s].
CYCLE, LEAD = 8.0, 1.0
#: Number of cycles, and time step [s].
CYCLES, STEP = 4, 0.001
#: Edge of the cube; height of the palm's upper side, radius and thickness of the palm [m].
EDGE, TOP, PALM, THICKNESS = 0.06, 0.085, 0.03, 0.0075
#: A cube that is this far below its height on the palm has been dropped [m].
DROPPED = 0.02
#: Colours of its sides, and thickness of the sheets that show them and touch nothing [m].
COLOURS, SHEET = ('0.85 0.3 0.25', '0.95 0.75 0.25', '0.25 0.5 0.8', '0.3 0.65 0.4'), 4e-4
#: From one reading of the cube to the next [steps].
READ = 10


@dataclass(frozen=True)
class Setting:
    """What differs between trials.

    Attributes:
        mass: of the cube [kg].
        palm: friction between cube and palm.
        tips: friction between cube and fingers.
        height: of the palm above `TOP` [m].
        aside: (2,) x, y of the cube at first [m].
    """

    mass: float = 0.025
    palm: float = 0.1
    tips: float = 0.5
    height: float = 0.0
    aside: tuple[float, float] = (0.0, 0.0)


@dataclass
class Way:
    """The poses of the cube, one for each `READ` steps.

    Attributes:
        times: since the first cycle began [s].
        yaws: its turn to the left, over as many full turns as it made [rad].
        middles: (3,) positions of its centre in the world [m].
        tilts: angle of its z axis from the vertical [rad].
    """

    times: list[float] = field(default_factory=list)
    yaws: list[float] = field(default_factory=list)
    middles: list[Array] = field(default_factory=list)
    tilts: list[float] = field(default_factory=list)

    def add(self, time: float, pose: Array) -> None:
        """Add a (4, 4) pose of the cube at a time [s]."""
        yaw, before = float(np.arctan2(pose[1, 0], pose[0, 0])), (self.yaws or [0.0])[-1]
        self.times.append(time)
        self.yaws.append(before + (yaw - before + np.pi) % (2.0 * np.pi) - np.pi)
        self.middles.append(pose[:3, 3].copy())
        self.tilts.append(float(np.arccos(np.clip(pose[2, 2], -1.0, 1.0))))

    def turns(self) -> Array:
        """(cycles,) turn of the cube in each cycle [rad]."""
        marks = np.arange(0.0, self.times[-1] + 0.5 * CYCLE, CYCLE)
        return np.diff(np.interp(marks, self.times, self.yaws))

    def rise(self) -> float:
        """Largest difference of its height from that on the palm, up or down [m]."""
        heights = np.array(self.middles)[:, 2]
        return float(np.abs(heights - TOP - 0.5 * EDGE).max())

    def offset(self) -> float:
        """Largest distance of its centre from the middle of the palm [m]."""
        return float(np.linalg.norm(np.array(self.middles)[:, :2], axis=1).max())


def hand() -> AssemblyForm:
    """The definition of the hand in SI units: fingers 1 to 4 around z, bending inwards about x.

    The inertia of a link is the one in the published file, which SoMo does not use.
    """
    inertia = (0.01525, 0.0, 0.0, 0.01525, 0.0, 0.01525)
    link = LinkForm(shape=Shape.BOX, dimensions=(0.46, 0.34, 0.2), mass=0.00294, inertia=inertia)
    joints = tuple(
        JointForm(axis=axis, stiffness=stiffness, damping=DAMPING * stiffness)
        for axis, stiffness in zip(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), STIFFNESS, strict=True)
    )
    soft = ActuatorForm(
        length=2.0, n_segments=10, link=link, joints=joints, arrangement=Arrangement.TOGETHER
    )
    base = LinkForm(shape=Shape.BOX, dimensions=(0.64, 0.64, 0.2), mass=0.6)
    tip = LinkForm(shape=Shape.SPHERE, dimensions=(0.3,), mass=0.015, offset=(0, 0, -0.3, 0, 0, 0))
    finger = ManipulatorForm(name='finger', base=base, actuators=(soft,), tips=(tip,))
    radius, tilt, members = 0.7, np.radians(-15.0), []
    for number in range(4):
        yaw = 0.5 * np.pi * number
        at = -radius * np.sin(yaw), radius * np.cos(yaw), 0.0
        members.append(
            MemberForm(name=f'finger_{number + 1}', manipulator=finger, pose=(*at, tilt, 0.0, yaw))
        )
    return SCALE.form_to_si(AssemblyForm(name='hand', members=tuple(members)))


def cube_urdf(mass: float) -> str:
    """URDF of the cube: of uniform density, its sides in four colours, so that turns are seen.

    Args:
        mass: [kg].
    """
    inertia, size = mass * EDGE**2 / 6.0, f'{EDGE} {EDGE} {EDGE}'
    shape = f'<geometry><box size="{size}"/></geometry>'
    seen = [
        f'<visual>{shape}<material name="top"><color rgba="0.9 0.9 0.9 1"/></material></visual>'
    ]
    for turn, colour in enumerate(COLOURS):
        place = f'{0.5 * EDGE * math.cos(0.5 * math.pi * turn)} '
        place += f'{0.5 * EDGE * math.sin(0.5 * math.pi * turn)} 0'
        seen.append(
            f'<visual><origin xyz="{place}" rpy="0 0 {0.5 * math.pi * turn}"/>'
            f'<geometry><box size="{SHEET} {0.98 * EDGE} {0.98 * EDGE}"/></geometry>'
            f'<material name="side {turn}"><color rgba="{colour} 1"/></material></visual>'
        )
    return (
        f'<robot name="cube"><link name="cube"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
        f'</inertial><collision>{shape}</collision>{"".join(seen)}</link></robot>'
    )


def moments(time: float) -> Array:
    """Moments about x and y in the fingers: (2, 2) for fingers 1 and 3, and for 2 and 4 [N m].

    Args:
        time: since the first cycle began [s]; negative while the pressures rise.
    """
    phase, share = max(time, 0.0) % CYCLE, min(1.0 + time / LEAD, 1.0)
    seconds = np.linspace(0.0, CYCLE, len(PRESSURES))
    pressures = [share * np.interp(phase, seconds, column) for column in PRESSURES.T]
    pairs = np.reshape(pressures, (2, 2))
    means, halves = pairs.mean(axis=1), 0.5 * (pairs[:, 0] - pairs[:, 1])
    return SCALE.to_si('torque', np.column_stack([GRASP * means, SIDE * halves]))


def turned(engine: str, setting: Setting, cycles: int, film: Film) -> Way:
    """Turn the cube for some cycles.

    Args:
        engine: name of the physics engine.
        setting: of the trial.
        cycles: number of cycles.
        film: takes the pictures.

    Returns:
        The poses of the cube.
    """
    with closing(make_engine(engine, EngineSettings(STEP, GRAVITY, False))) as world:
        soft = SoftBody(world, hand())
        top = TOP + setting.height
        at = shift(0.0, 0.0, top - 0.5 * THICKNESS)
        palm = world.add(ObjectSpec('palm', Cylinder(PALM, THICKNESS), pose=at))
        at = shift(*setting.aside, top + 0.5 * EDGE)
        cube = world.load(RobotSpec('cube', cube_urdf(setting.mass), ()))
        world.place(cube, BodyState.at_rest(at))
        world.set_pair_surface(cube, palm, Surface(friction=setting.palm))
        world.set_pair_surface(cube, soft.body, Surface(friction=setting.tips))
        view = view_from((0.2, -0.15, 0.25), (0.0, 0.0, 0.09))
        way = Way()
        for k in range(-round(LEAD / STEP), round(cycles * CYCLE / STEP) + 1):
            if k >= 0 and k % READ == 0:
                way.add(k * STEP, world.link_pose(cube, 0))
            film.look(world, view, k * STEP + LEAD)
            pairs = moments(k * STEP)
            for number in range(4):
                soft.bend(f'finger_{number + 1}', pairs[number % 2])
            soft.apply()
            world.step()
    return way


def run(engine: str, film: Film) -> Outcome:
    """Turn the cube, then try other masses and frictions for a cycle each.

    Args:
        engine: name of the physics engine.
        film: takes the pictures of the first trial.
    """
    way = turned(engine, Setting(), CYCLES, film)
    checks = [
        Check(f'turn in cycle {number + 1}', turn, 'deg', 150.0, 210.0)
        for number, turn in enumerate(np.degrees(way.turns()).tolist())
    ]
    checks += [
        Check('largest rise or drop of the cube', 1e3 * way.rise(), 'mm', highest=2.0),
        Check('largest offset from the middle', 1e3 * way.offset(), 'mm', highest=10.0),
        Check('largest tilt of the cube', float(np.degrees(max(way.tilts))), 'deg', highest=3.0),
    ]
    facts = {}
    for text, setting in (
        ('with 50 g', Setting(mass=0.05)),
        ('with friction 0.3 on the palm', Setting(palm=0.3)),
        ('with friction 1 at the tips', Setting(tips=1.0)),
    ):
        other = turned(engine, setting, 1, Film(wanted=False))
        facts[text] = (
            f'{np.degrees(other.turns()[0]):.0f} deg in the first cycle, '
            f'{1e3 * other.rise():.1f} mm up or down, {1e3 * other.offset():.1f} mm off the middle'
        )
    return Outcome(checks, facts, {'yaw': _plot(way)})


def _plot(way: Way) -> Figure:
    figure = Figure(figsize=(7.0, 4.0), layout='constrained')
    axes = figure.subplots()
    axes.plot(way.times, np.degrees(way.yaws), label='cube')
    for number in range(CYCLES + 1):
        axes.axvline(number * CYCLE, color='0.8', linewidth=0.8)
    marks = np.arange(CYCLES + 1)
    axes.plot(CYCLE * marks, 150.0 * marks, ':', label='150° a cycle')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('turn [°]')
    axes.legend()
    return figure
