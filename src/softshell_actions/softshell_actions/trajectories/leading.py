"""Commands of joints that lead, so that under load the joints are where a plan wants them.

A joint under the torque τ gives way by τ / kp, so its command has to lead by as much. A joint that
several limbs share, or that the plan does not move, cannot lead and gives way; then each leg's own
joints make up for that, so that its foot is where it should be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from softshell_actions.planning.draft import Plan
from softshell_actions.planning.standing import smooth
from softshell_actions.trajectories.load import Load, Track, derivative
from softshell_actions.trajectories.masses import load_of
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array

#: Shortest and longest time in which the lead at the end of the motion before changes to that of
#: this one [s]. It is short, as the lead that slowed a leg down in the air would move its foot
#: away from its place after landing.
BRIEF, FADE = 0.05, 0.2
#: Acceleration with which it changes [rad/s^2] or [m/s^2], if that is within these times.
FADING = 40.0
#: Time at the end in which the forces that slow the robot down fade; its weight is left [s].
RESTING = 0.06
#: Times in which feet give up their load and take it again [s]; a longer one is taken if leads
#: would accelerate joints too much.
PASSAGES = (0.05, 0.06, 0.08, 0.1, 0.2)
#: Part of its largest acceleration that leads may cause of a joint.
HURRY = 0.99
#: Largest lead [rad] or [m]: a joint that gives way further is not held by its gains.
MOST = 0.2
#: Damping of the equation by which a leg makes up for joints that give way [m^2].
DAMPING = 1e-6 * np.eye(3)


@dataclass(frozen=True)
class Spring:
    """A joint as a spring: what its position control makes of it.

    Args:
        kp: its stiffness [N m/rad] or [N/m].
        lowest, highest: its positions [rad] or [m].
        driven: multiplier of each joint that its motor moves, its own included, by name.
    """

    kp: float
    lowest: float
    highest: float
    driven: Mapping[str, float]

    def lead(self, torques: Mapping[str, Array]) -> Array:
        """(points,) by how much it has to lead [rad] or [m].

        Args:
            torques: (points,) of each joint by name [N m] or [N].
        """
        whole = sum(share * torques[name] for name, share in self.driven.items())
        stiffness = self.kp * sum(share**2 for share in self.driven.values())
        lead: Array = np.clip(whole / stiffness, -MOST, MOST)
        return lead

    def gives_way(self, joint: str, torque: Array, position: Array, lead: float) -> Array:
        """(points,) how far a driven joint is from its place, in positions of this joint.

        Args:
            joint: the driven joint.
            torque: (points,) of the driven joint [N m] or [N].
            position: (points,) where this joint should be [rad] or [m].
            lead: with which this joint is commanded [rad] or [m].
        """
        led = position + lead - torque / (self.kp * self.driven[joint])
        # A mechanical stop holds it at the end of its range.
        way: Array = np.clip(led, self.lowest, self.highest) - position
        return way


class Leading:
    """Lets commands of joints lead by as much as the joints give way.

    Args:
        model: the robot.
        accelerations: largest of each joint by name [rad/s^2] or [m/s^2].
    """

    def __init__(self, model: RobotModel, accelerations: Mapping[str, float]) -> None:
        self._accelerations = accelerations
        self._load: Load | None = load_of(model)
        driven = {joint.name: {joint.name: 1.0} for joint in model.joints}
        for mimic in model.mimics:
            driven[mimic.source][mimic.name] = mimic.multiplier
        self._springs = {
            joint.name: Spring(joint.gains.kp, joint.lower, joint.upper, driven[joint.name])
            for joint in model.joints
            if joint.gains.kp > 0.0
        }
        self._sources = {name: joint for joint, names in driven.items() for name in names}

    def commanded(self, plan: Plan, paths: Mapping[str, Array]) -> dict[str, Array]:
        """(points,) positions to command, by joint [rad] or [m].

        Args:
            plan: the plan.
            paths: (points,) where the joints that it moves are to be, by name [rad] or [m].
        """
        if self._load is None:
            return dict(paths)
        still = np.zeros(len(plan.times))
        others = {name: still + value for name, value in plan.end.joints.items()}
        joints, period = {**others, **paths}, float(plan.times[1])
        # Inertial forces fade where the robot comes to rest.
        left = (plan.times[-1] - plan.times) / RESTING if plan.standing.rests else still + 1.0
        burden = self._load.burden(period, joints, plan.base, smooth(left))
        names = [name for name in paths if name in self._springs]
        own = derivative(_columns(paths, names, still), period, 2)
        bearable = [HURRY * self._accelerations[name] for name in names]
        most = np.maximum(bearable, np.abs(own).max(axis=0))
        for passage in PASSAGES:
            torques = burden.carried(plan.standing.shares(passage), plan.standing.borne)
            torques = {name: torques.get(name, still) for name in self._sources}
            leads = {name: self._springs[name].lead(torques) for name in names}
            for column, foot in enumerate(burden.feet):
                burdened = plan.standing.burdened[:, column]
                self._make_up(leads, foot, burdened, torques, joints, plan.end.lead)
            led = derivative(_columns(leads, names, still), period, 2, 'clamped')
            if (np.abs(own + led).max(axis=0) <= most).all():
                break
        commanded = dict(paths)
        for name, lead in leads.items():
            spring, path = self._springs[name], paths[name]
            over = plan.end.lead.get(name, lead[0]) - lead[0]
            # The second derivative of smooth() at its start is 6.
            time = np.clip(np.sqrt(6.0 * abs(over) / FADING), BRIEF, FADE)
            lead = lead + over * (1.0 - smooth(plan.times / time))
            # A path beyond the limits stays as it is: the gate limits it.
            low, high = np.minimum(spring.lowest, path), np.maximum(spring.highest, path)
            commanded[name] = np.clip(path + lead, low, high)
        return commanded

    def _make_up(
        self,
        leads: dict[str, Array],
        foot: Track,
        burdened: Array,
        torques: Mapping[str, Array],
        joints: Mapping[str, Array],
        led: Mapping[str, float],
    ) -> None:
        """Add to the leads of a leg's joints what keeps its foot in place while others give way.

        Only for a foot that carries: any other leg may be stretched, or folded below its hip.
        """
        if not burdened.any():
            return
        own: dict[str, Array] = {}  # how the foot moves with each joint and those that mimic it
        astray = np.zeros_like(foot.places)
        for column, name in enumerate(foot.joints):
            source = self._sources[name]
            spring = self._springs.get(source)
            if spring is None:
                continue
            moved = spring.driven[name] * foot.moved[:, :, column]
            if source in leads:
                own[source] = own.get(source, 0.0) + moved
            else:
                way = spring.gives_way(name, torques[name], joints[source], led.get(source, 0.0))
                astray += moved * way[:, None]
        if not own:
            return
        moved = np.stack(list(own.values()), axis=2)
        back = moved.transpose(0, 2, 1)
        makes_up = back @ np.linalg.solve(moved @ back + DAMPING, -astray[..., None])
        for place, source in enumerate(own):
            leads[source] += burdened * makes_up[:, place, 0]


def _columns(paths: Mapping[str, Array], names: Sequence[str], still: Array) -> Array:
    """(points, names) some of the paths (points,)."""
    columns = np.empty((len(still), len(names)))
    for column, name in enumerate(names):
        columns[:, column] = paths[name]
    return columns
