"""The force of a finger that bends against a wall in front of its tip.

A chain whose joints of stiffness κ all have a moment M, at distances `lever` from the tip, presses
on a wall behind a gap with (M Σ lever − κ gap) / Σ lever² (`softshell_continuum.calibration`). The
published procedure (SoMo) expects M / L, which is two thirds of that for ten joints.
"""

from contextlib import closing

import numpy as np
from matplotlib.figure import Figure

from softshell_continuum.calibration import blocked_force
from softshell_continuum.forms import ActuatorForm, JointForm, LinkForm, ManipulatorForm
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: Length [m], number of joints, stiffness [N m/rad] and damping [N m s/rad] of a joint.
LENGTH, JOINTS, STIFFNESS, DAMPING = 0.1, 10, 0.25, 0.01
#: Radius of the tip, and gap between the straight finger and the wall [m].
RADIUS, GAP = 0.005, 0.0005
#: Largest moment in each joint [N m], and its rise time [s].
MOMENT, RISE = 0.02, 2.0
#: Time step [s].
STEP = 0.001


def finger() -> ManipulatorForm:
    """The definition of the finger: all joints about x."""
    link = LinkForm(
        shape=Shape.BOX, dimensions=(0.02, 1.2 * RADIUS, LENGTH / JOINTS), mass=0.002
    )  # fmt: skip
    joint = JointForm(axis=(1.0, 0.0, 0.0), stiffness=STIFFNESS, damping=DAMPING)
    actuator = ActuatorForm(length=LENGTH, n_segments=JOINTS, link=link, joints=(joint,))
    ball = LinkForm(
        shape=Shape.SPHERE, dimensions=(RADIUS,), mass=0.002, offset=(0, 0, -RADIUS, 0, 0, 0)
    )  # fmt: skip
    return ManipulatorForm(name='finger', actuators=(actuator,), tips=(ball,))


def run(engine: str, film: Film) -> Outcome:
    """Bend the finger against the wall.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    with closing(make_engine(engine, EngineSettings(STEP, 0.0, False))) as world:
        slick = Surface(friction=0.0)
        # It bends towards −y.
        wall_at = shift(0.0, -RADIUS - GAP - 0.01, LENGTH)
        wall = world.add(ObjectSpec('wall', Box((0.04, 0.02, 0.04)), pose=wall_at, surface=slick))
        soft = SoftBody(world, finger(), surface=slick)
        view = view_from((0.25, -0.1, 0.08), (0.0, 0.0, 0.05))
        force, times, pressed, moments = np.zeros((1, 3)), [], [], []
        for k in range(round((RISE + 1.0) / STEP)):
            moment = MOMENT * np.sin(0.5 * np.pi * min(k * STEP / RISE, 1.0))
            soft.bend('finger', [moment])
            soft.apply()
            world.step()
            world.contact_forces(wall, force)
            times.append(k * STEP)
            pressed.append(-force[0, 1])
            moments.append(moment)
            film.look(world, view, k * STEP)
    found = float(np.mean(pressed[-200:]))
    expected = blocked_force(MOMENT, STIFFNESS, LENGTH, JOINTS, GAP)
    return Outcome(
        [Check('measured force divided by that of the chain', found / expected, '', 0.95, 1.05)],
        {
            'measured force': f'{found:.4f} N',
            'force of the chain, (M S1 - k gap) / S2': f'{expected:.4f} N',
            'force of the published procedure, M / L': f'{MOMENT / LENGTH:.4f} N',
        },
        {'force': _plot(np.array(times), np.array(moments), np.array(pressed))},
    )


def _plot(times: Array, moments: Array, pressed: Array) -> Figure:
    figure = Figure(figsize=(7.0, 4.0), layout='constrained')
    axes = figure.subplots()
    chain = [blocked_force(m, STIFFNESS, LENGTH, JOINTS, GAP) for m in moments]
    axes.plot(times, pressed, label='measured on the wall')
    axes.plot(times, chain, '--', label='(M S1 − κ gap) / S2')
    axes.plot(times, moments / LENGTH, ':', label='M / L')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('force [N]')
    axes.legend()
    return figure
