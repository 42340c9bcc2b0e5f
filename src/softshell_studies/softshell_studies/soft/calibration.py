"""Fingers that are calibrated to a tip stiffness, and how stiff they then are in an engine.

Joint stiffness follows from the measured K_b by the exact formula, κ = K_b Σ lever², and by that
of the published procedure (SoMo). Small loads are hung on the tips one after the other; the line
through the recorded deflections is the stiffness of the simulated finger. The last, large load is
for the film: fingers by the published formula bend half as far.
"""

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
from softshell_sim.engine import Engine
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.engines import make_engine
from softshell_sim.soft_body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: Length [m] and mass [kg] of a finger; damping by stiffness [s].
LENGTH, MASS, DAMPING = 0.1, 0.02, 0.02
#: Measured stiffness of tips [N/m], and numbers of joints that fingers are made with.
MEASURED, JOINTS = (6.12, 29.05), (5, 10, 20)
#: Deflections that would be recorded one after the other, as parts of the length; the last is for
#: the film, and too large for a line.
LOADS = (0.002, 0.004, 0.006, 0.008, 0.01, 0.25)
#: How long each load hangs there [s]; fingers are at rest after a third of that.
HANGS = 0.6
STEP = 0.001
COLOURS = {Formula.EXACT: (0.54, 0.41, 0.69, 1.0), Formula.REFERENCE: (0.9, 0.55, 0.2, 1.0)}


@dataclass(frozen=True, eq=False)
class Case:
    """A finger that was calibrated.

    Attributes:
        measured: its K_b [N/m].
        joints: how many it has.
        formula: by which it was calibrated.
        body: in the engine.
    """

    measured: float
    joints: int
    formula: Formula
    body: SoftBody

    @property
    def tip(self) -> Array:
        """(3,) in the world [m]."""
        (name,) = self.body.members
        place: Array = self.body.tip(name)[:3, 3]
        return place

    def push(self, part: float) -> None:
        """Have a force on its tip in the next step that shall move it by so much of its length."""
        force = np.array([0.0, part * LENGTH * self.measured, 0.0])
        engine, body = self.body.engine, self.body.body
        engine.apply_wrench(body, len(body.links) - 1, force, np.zeros(3), self.tip)


def finger(name: str, measured: float, joints: int, formula: Formula) -> ManipulatorForm:
    """A finger of that tip stiffness by a formula: one axis, about x."""
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
    """Load all fingers, beside each other.

    Args:
        engine: name of the engine.
        film: takes pictures.
    """
    world = make_engine(engine, EngineSettings(STEP, 0.0, False))
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
    world.close()
    found = [
        tip_stiffness(row[:-1], LENGTH * case.measured * np.array(LOADS[:-1]))
        for case, row in zip(cases, deflections, strict=True)
    ]
    ratios = np.array([k.value / case.measured for case, k in zip(cases, found, strict=True)])
    checks, facts = [], {}
    for case, ratio in zip(cases, ratios, strict=True):
        text = f'{case.formula.value}: K_b over {case.measured:g} N/m, {case.joints} joints'
        if case.formula is Formula.EXACT:
            checks.append(Check(text, float(ratio), '', 0.99, 1.01))
        else:
            facts[text] = f'{ratio:.4g}'
    plots = {'joints': _plot(cases, ratios), 'recorded': calibration_plot(found[2])}
    return Outcome(checks, facts, plots)


def _cases(world: Engine) -> list[Case]:
    """All fingers, in a row along x: pairs of both formulas beside each other."""
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
    axes.set_ylabel('tip stiffness over the one measured')
    axes.set_ylim(0.0, 2.6)
    axes.legend()
    axes.grid(alpha=0.3)
    return figure
