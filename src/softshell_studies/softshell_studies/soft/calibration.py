"""Fingers that are calibrated to a measured tip stiffness, and their stiffness in an engine.

The stiffness κ of the joints follows from the measured tip stiffness K_b by the exact formula,
κ = K_b Σ lever², or by that of the published procedure (SoMo). Small forces act on the tips one
after the other; a line through the recorded deflections gives the stiffness of the simulated
finger. The last, large force is for the film: fingers by the published formula bend half as far.
"""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from softshell_continuum.calibration import Formula, joint_stiffness, levers
from softshell_continuum.forms import (
    ActuatorForm,
    JointForm,
    LinkForm,
    ManipulatorForm,
    MaterialForm,
)
from softshell_continuum.plots import calibration_plot
from softshell_continuum.recordings import tip_stiffness
from softshell_continuum.shapes import Shape
from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import shift
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: Length [m] and mass [kg] of a finger; damping divided by stiffness of a joint [s].
LENGTH, MASS, DAMPING = 0.1, 0.02, 0.02
#: Measured tip stiffnesses [N/m], and numbers of joints; there is a finger for each combination.
MEASURED, JOINTS = (6.12, 29.05), (5, 10, 20)
#: Forces on the tips, as the expected deflection divided by the length. The last is for the film;
#: it is too large for the line.
LOADS = (0.002, 0.004, 0.006, 0.008, 0.01, 0.25)
#: How long each force acts [s]; fingers are at rest after a third of that.
HANGS = 0.6
#: Time step [s].
STEP = 0.001
COLOURS = {Formula.EXACT: (0.54, 0.41, 0.69, 1.0), Formula.REFERENCE: (0.9, 0.55, 0.2, 1.0)}


@dataclass(frozen=True, eq=False)
class Case:
    """A calibrated finger.

    Attributes:
        measured: the tip stiffness to which it is calibrated [N/m].
        joints: number of its joints.
        formula: by which it is calibrated.
        body: the finger in the engine.
    """

    measured: float
    joints: int
    formula: Formula
    body: SoftBody

    @property
    def tip(self) -> Array:
        """(3,) position of the tip in the world [m]."""
        (name,) = self.body.members
        place: Array = self.body.tip(name)[:3, 3]
        return place

    def push(self, part: float) -> None:
        """Apply a force on the tip in the next step.

        Args:
            part: the deflection that it should cause, divided by the finger's length.
        """
        force = np.array([0.0, part * LENGTH * self.measured, 0.0])
        engine, body = self.body.engine, self.body.body
        engine.apply_wrench(body, len(body.links) - 1, force, np.zeros(3), self.tip)


def finger(name: str, measured: float, joints: int, formula: Formula) -> ManipulatorForm:
    """The definition of a finger that is calibrated to a tip stiffness; all joints are about x.

    Args:
        name: of the finger.
        measured: the tip stiffness [N/m].
        joints: number of joints.
        formula: from tip stiffness to joint stiffness.
    """
    stiffness = joint_stiffness(measured, LENGTH, joints, formula)
    material = MaterialForm(name=formula.value, colour=COLOURS[formula])
    link = LinkForm(
        shape=Shape.BOX, dimensions=(0.016, 0.012, LENGTH / joints), mass=MASS / joints,
        material=material,
    )  # fmt: skip
    joint = JointForm(axis=(1.0, 0.0, 0.0), stiffness=stiffness, damping=DAMPING * stiffness)
    actuator = ActuatorForm(length=LENGTH, n_segments=joints, link=link, joints=(joint,))
    return ManipulatorForm(name=name, actuators=(actuator,))


def run(engine: str, film: Film) -> Outcome:
    """Load all fingers at the same time.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    with closing(make_engine(engine, EngineSettings(STEP, 0.0, False))) as world:
        cases = _cases(world)
        view = view_from((0.42, 0.28, 0.24), (0.0, 0.01, 0.04), field=0.8)
        deflections = np.zeros((len(cases), len(LOADS)))
        steps = round(HANGS / STEP)
        for number, part in enumerate(LOADS):
            for k in range(steps):
                for case in cases:
                    case.push(part)
                world.step()
                film.look(world, view, (number * steps + k) * STEP)
            deflections[:, number] = [case.tip[1] for case in cases]
    found = [
        tip_stiffness(row[:-1], LENGTH * case.measured * np.array(LOADS[:-1]))
        for case, row in zip(cases, deflections, strict=True)
    ]
    ratios = np.array([k.value / case.measured for case, k in zip(cases, found, strict=True)])
    checks, facts = [], {}
    for case, ratio in zip(cases, ratios, strict=True):
        text = f'{case.formula.value}: K_b / ({case.measured:g} N/m), {case.joints} joints'
        if case.formula is Formula.EXACT:
            checks.append(Check(text, float(ratio), '', 0.99, 1.01))
        else:
            facts[text] = f'{ratio:.4g}'
    plots = {'joints': _plot(cases, ratios), 'recorded': calibration_plot(found[2])}
    return Outcome(checks, facts, plots)


def _cases(world: Engine) -> list[Case]:
    """Add all fingers in a row along x; the two formulas of each case are side by side."""
    cases: list[Case] = []
    for measured in MEASURED:
        for joints in JOINTS:
            for formula in Formula:
                place = shift(0.035 * (len(cases) - 5.5), 0.0, 0.0)
                form = finger(f'finger_{len(cases)}', measured, joints, formula)
                cases.append(Case(measured, joints, formula, SoftBody(world, form, place)))
    return cases


def _plot(cases: list[Case], ratios: Array) -> Figure:
    figure = Figure(figsize=(7.0, 4.0), layout='constrained')
    axes = figure.subplots()
    numbers = np.arange(2, 25)
    formula = [
        joint_stiffness(1.0, 1.0, n, Formula.REFERENCE) / float((levers(1.0, n) ** 2).sum())
        for n in numbers.tolist()
    ]
    axes.plot(numbers, formula, color='C1', label='reference, by its formula')
    axes.axhline(1.0, color='C4', label='exact, by its formula')
    for marker, measured in zip('ox', MEASURED, strict=True):
        rows = [k for k, case in enumerate(cases) if case.measured == measured]
        places = [cases[k].joints for k in rows]
        axes.plot(places, ratios[rows], marker, color='k', label=f'simulated, {measured:g} N/m')
    axes.set_xlabel('joints')
    axes.set_ylabel('simulated / measured tip stiffness')
    axes.set_ylim(0.0, 2.6)
    axes.legend()
    axes.grid(alpha=0.3)
    return figure
