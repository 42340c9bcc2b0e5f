"""A silicone rod that is bent by two tendons, compared with the measured positions of its tip.

The rod and its five trials are those of `measured_rod.py`; no parameter is fitted to them. For the
tensions of each trial, the shape at rest is found in an engine and by the static solver. At the
end a helical tendon bends the same rod to a curve that lies in no plane.
"""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from softshell_continuum.measured_rod import (
    BASE,
    DISC_MASS,
    DISCS,
    EYES,
    LENGTH,
    RADIUS,
    TENDONS,
    TRIALS,
    measured_rod,
    measured_rod_form,
)
from softshell_continuum.statics import GRAVITY, Statics
from softshell_continuum.tendon import Tendon
from softshell_continuum.workspace import Workspace, workspace
from softshell_kinematics.arrays import Array
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.soft.body import SoftBody
from softshell_studies.film import Film, view_from
from softshell_studies.outcome import Check, Outcome

#: Number of links of the chain. With 400, the tip moves by 0.7 mm in the worst trial.
LINKS = 50
#: Damping divided by stiffness of a joint [s]; so large that the rod soon comes to rest.
DAMPING = 0.03
#: Times for which tensions change, and then stay [s].
RISE, REST = 1.0, 1.5
#: Time step [s].
STEP = 0.002
#: A helical tendon, which goes once around the rod, and its tension [N].
HELIX = Tendon.along('helix', EYES, RADIUS, np.pi / 2, 2.0 * np.pi / LENGTH)
HELIX_TENSION = 8.0
#: Tensions of each of the two tendons for which the workspace is drawn [N].
PULLS = np.linspace(0.0, 6.0, 13)
#: (60,) arc lengths of the compared points of the backbone [m].
ARCS = np.linspace(0.0, LENGTH, 60)


@dataclass(frozen=True, eq=False)
class Shape:
    """The rod at rest.

    Attributes:
        simulated, solved: (60, 3) points of its backbone in the engine and by statics [m].
    """

    simulated: Array
    solved: Array

    @property
    def apart(self) -> float:
        """Largest distance between the same points of both backbones [m]."""
        return float(np.linalg.norm(self.simulated - self.solved, axis=1).max())


def run(engine: str, film: Film) -> Outcome:
    """Pull the tendons as in the trials, then the helical one.

    Args:
        engine: name of the physics engine.
        film: takes the pictures.
    """
    with closing(make_engine(engine, EngineSettings(STEP, -GRAVITY[2], False))) as world:
        form = measured_rod_form(LINKS, DAMPING)
        soft = SoftBody(world, form, BASE, tendons={'rod': [*TENDONS, HELIX]})
        view = view_from((0.15, -0.55, 0.2), (0.11, 0.03, 0.02))
        pulls = [*(np.append(trial.tensions, 0.0) for trial in TRIALS), [0.0, 0.0, HELIX_TENSION]]
        masses = [(disc, DISC_MASS) for disc in DISCS]
        chain = measured_rod(links=LINKS).chain
        statics = Statics(chain, [*TENDONS, HELIX], masses, base=BASE)
        before, time, shapes = np.zeros(3), 0.0, []
        for wanted in np.array(pulls):
            for k in range(round((RISE + REST) / STEP)):
                part = min(k * STEP / RISE, 1.0)
                soft.pull('rod', (1.0 - part) * before + part * wanted)
                soft.apply()
                world.step()
                time += STEP
                film.look(world, view, time)
            before = wanted
            solved = statics.solve(wanted).at_rest().backbone(ARCS)[0]
            shapes.append(Shape(soft.backbone('rod', ARCS)[0], solved))
    return _outcome(shapes)


def _outcome(shapes: list[Shape]) -> Outcome:
    *bent, helix = shapes
    tips = np.array([trial.tip for trial in TRIALS])
    checks, facts = [], {}
    for name, found in (
        ('simulated', np.array([shape.simulated[-1] for shape in bent])),
        ('solved', np.array([shape.solved[-1] for shape in bent])),
    ):
        errors = 100.0 * np.linalg.norm(found - tips, axis=1)
        checks += [
            Check(f'tip as measured, {name}: mean error', float(errors.mean()), 'cm', 0.0, 0.65),
            Check(f'tip as measured, {name}: largest error', float(errors.max()), 'cm', 0.0, 1.25),
        ]
        for trial, tip, error in zip(TRIALS, found, errors, strict=True):
            place = ', '.join(f'{100.0 * value:.2f}' for value in tip)
            facts[f'trial {trial.number}, {name}'] = f'{place} cm, {error:.2f} cm off'
    apart = max(float(np.linalg.norm(s.simulated[-1] - s.solved[-1])) for s in bent)
    # Largest distance from the plane that fits all points of the backbone best.
    middle = helix.simulated - helix.simulated.mean(axis=0)
    out = np.abs(middle @ np.linalg.svd(middle)[2][2]).max()
    checks += [
        Check('largest distance of tips, chain to statics', 100.0 * apart, 'cm', 0.0, 0.3),
        Check('helical tendon: the same of all points', 100.0 * helix.apart, 'cm', 0.0, 0.3),
        Check('helical tendon: largest distance from a plane', 100.0 * float(out), 'cm', 0.2),
    ]
    reach = workspace(measured_rod(links=25), [PULLS, PULLS])
    return Outcome(checks, facts, {'tips': _tips(shapes), 'workspace': _reach(reach)})


def _tips(shapes: list[Shape]) -> Figure:
    figure = Figure(figsize=(10.0, 4.5), layout='constrained')
    side, above = figure.subplots(1, 2)
    for axes, row, name in ((side, 2, 'z'), (above, 1, 'y')):
        for number, shape in enumerate(shapes):
            trial = TRIALS[number] if number < len(TRIALS) else None
            text = f'trial {trial.number}' if trial else f'helix, {HELIX_TENSION:g} N'
            colour = f'C{number}'
            axes.plot(*100.0 * shape.simulated[:, [0, row]].T, color=colour, label=text)
            axes.plot(*100.0 * shape.solved[::6, [0, row]].T, '+', color=colour)
            if trial:
                axes.plot(*100.0 * trial.tip[[0, row]], 'o', color=colour)
        axes.set(xlabel='x [cm]', ylabel=f'{name} [cm]', aspect='equal')
        axes.grid(alpha=0.3)
    side.set_title('from the side: lines simulated, + solved, dots measured', fontsize=9)
    above.set_title('from above', fontsize=9)
    above.legend(fontsize=8)
    return figure


def _reach(found: Workspace) -> Figure:
    figure = Figure(figsize=(10.0, 4.5), layout='constrained')
    plots = figure.subplots(1, 2)
    count = len(PULLS)
    tips = 100.0 * found.tips.reshape(count, count, 3)
    for axes, row, name in zip(plots, (2, 1), 'zy', strict=True):
        for k in range(count):
            axes.plot(*tips[k][:, [0, row]].T, color='0.8', linewidth=0.8)
            axes.plot(*tips[:, k][:, [0, row]].T, color='0.8', linewidth=0.8)
        points = axes.scatter(
            *100.0 * found.tips[:, [0, row]].T, c=found.tensions.sum(axis=1), s=12, zorder=2
        )
        measured = 100.0 * np.array([trial.tip for trial in TRIALS])
        axes.plot(*measured[:, [0, row]].T, 'rx', label='measured')
        axes.set(xlabel='x [cm]', ylabel=f'{name} [cm]', aspect='equal')
        axes.grid(alpha=0.3)
    plots[0].legend()
    figure.colorbar(points, ax=plots, label='both tensions together [N]')
    return figure
