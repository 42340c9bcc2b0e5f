"""PyElastica's side of the continuum benchmark; runs in an environment of its own.

    python _continuum_elastica.py PROBLEM.json ANSWER.json

Its explicit dynamics with damping, until the rod stands still: it has no statics. A disc is fixed
to the element that it is in; a tendon acts on it as in TendonForces.
"""

import json
import sys
import time
from pathlib import Path

import elastica
import numpy as np

#: Damping of all velocities [1/s], about twice the first bending frequency.
DAMPING = 30.0
#: Velocity of the fastest point of a rod that stands still [m/s], and simulated time at most [s].
STILL, LONGEST = 2e-4, 6.0
#: Time that a wave along the rod takes for an element, by the time step.
COURANT = 0.4
#: Between two looks at the velocities [s].
LOOK = 0.1


class Rods(
    elastica.BaseSystemCollection, elastica.Constraints, elastica.Forcing, elastica.Damping
):
    """What one simulation has."""


class Tendons(elastica.NoForces):
    """Discs with their weights, and the tendons through them."""

    def __init__(self, discs, masses, offsets, tensions, gravity):
        super().__init__()
        self.discs, self.masses, self.offsets = discs, masses, offsets
        self.tensions, self.gravity = tensions, gravity

    def apply_forces(self, system, time=0.0):
        """Forces on the nodes of the elements with discs; torques on these elements."""
        element = 0.25 / system.n_elems
        where = np.minimum((self.discs / element).astype(int), system.n_elems - 1)
        along = self.discs - (where + 0.5) * element
        nodes = system.position_collection
        centres = 0.5 * (nodes[:, where] + nodes[:, where + 1])
        frames = system.director_collection[:, :, where]  # from the world to the element
        arms = along * frames[2]
        forces = np.outer(self.gravity, self.masses)
        moments = np.cross(arms.T, forces.T).T
        for offset, tension in zip(self.offsets, self.tensions, strict=True):
            levers = arms + np.einsum('jin,j->in', frames, offset)
            eyes = centres + levers
            base = offset[0] * self.first_frame[0] + offset[1] * self.first_frame[1]
            spans = np.diff(np.column_stack([base, eyes]), axis=1)
            pulls = tension * spans / np.linalg.norm(spans, axis=0)
            on = np.column_stack([pulls[:, 1:], np.zeros(3)]) - pulls
            forces = forces + on
            moments = moments + np.cross(levers.T, on.T).T
        for place, number in enumerate(where):
            system.external_forces[:, number] += 0.5 * forces[:, place]
            system.external_forces[:, number + 1] += 0.5 * forces[:, place]
            system.external_torques[:, number] += frames[:, :, place] @ moments[:, place]


def settle(problem, tensions, elements):
    """The tip of the rod at rest [m], and how long that took [s] and was simulated [s]."""
    rods = Rods()
    direction, normal = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, -1.0])
    rod = elastica.CosseratRod.straight_rod(
        elements, np.zeros(3), direction, normal, problem['length'], 0.5 * problem['diameter'],
        problem['density'], youngs_modulus=problem['young'], shear_modulus=problem['shear'],
    )  # fmt: skip
    step = COURANT * problem['length'] / elements / np.sqrt(problem['young'] / problem['density'])
    gravity = np.array([0.0, 0.0, -problem['gravity']])
    offsets = [np.array([*offset, 0.0]) for offset in problem['offsets']]
    masses = np.full(len(problem['discs']), problem['disc'])
    rods.append(rod)
    rods.constrain(rod).using(
        elastica.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
    )
    rods.add_forcing_to(rod).using(elastica.GravityForces, acc_gravity=gravity)
    Tendons.first_frame = rod.director_collection[:, :, 0].copy()
    rods.add_forcing_to(rod).using(
        Tendons, np.array(problem['discs']), masses, offsets, tensions, gravity
    )
    rods.dampen(rod).using(
        elastica.AnalyticalLinearDamper, uniform_damping_constant=DAMPING, time_step=step
    )
    rods.finalize()
    stepper = elastica.PositionVerlet()
    count = round(LOOK / step)
    elastica.integrate(stepper, rods, 3 * step, 3, progress_bar=False)  # compiles
    begin, passed = time.perf_counter(), 0.0
    while passed < LONGEST:
        elastica.integrate(stepper, rods, count * step, count, progress_bar=False)
        passed += count * step
        if np.abs(rod.velocity_collection).max() < STILL:
            break
    return rod.position_collection[:, -1].tolist(), time.perf_counter() - begin, passed


def main() -> None:
    """Settle the rod of a problem once for each of its tensions."""
    problem = json.loads(Path(sys.argv[1]).read_text(encoding='utf-8'))
    answer = [settle(problem, row, problem['elements']) for row in problem['tensions']]
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding='utf-8')


if __name__ == '__main__':
    main()
