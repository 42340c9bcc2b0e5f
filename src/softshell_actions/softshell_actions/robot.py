"""The robot as actions see it, made from its model: chains, stance, forward kinematics."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softshell_actions.facts import Facts
from softshell_actions.language.files import placed
from softshell_actions.language.vocabulary import Vocabulary
from softshell_actions.library import NOTHING_INSTEAD, ActionLibrary, Instead
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.rolling import RollingFeet, RollingFoot
from softshell_actions.review.actions import Known
from softshell_actions.state import Stance, State, measured_state
from softshell_actions.symmetry import Symmetry
from softshell_actions.trajectories.leading import Leading
from softshell_actions.trajectories.pacing import Pacing, joint_limits_of
from softshell_common.yaml_file import YamlFile
from softshell_description.foot_spheres import foot_spheres
from softshell_description.model import LegsSpec, RobotModel
from softshell_description.robots import ROBOT_FILE
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.transforms import COORDINATES

#: A pose's `rest_height` may differ from how far the feet reach down by this [m].
HEIGHT_MARGIN = 0.005


@dataclass(frozen=True)
class Body:
    """A robot for the planner.

    Args:
        model: its description.
        chains: kinematics of every limb by name.
        stance: how it stands, from the poses that its legs name; None without legs.
        facts: that conditions may name.
    """

    model: RobotModel
    chains: Mapping[str, SerialChain]
    stance: Stance | None
    facts: Facts

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that actions and gaits may use."""
        lengths = {}
        if self.stance is not None:
            lengths = {
                'stand_height': self.stance.stand_height,
                'lying_height': self.stance.lying_height,
            }
        own_joints = {name: self.model.own_joints(name) for name in self.chains}
        return Vocabulary(
            groups=self.model.groups,
            own_joints=own_joints,
            legs=self.stance.legs if self.stance is not None else (),
            poses=tuple(self.model.poses),
            facts=self.facts.names,
            lengths=lengths,
            limits={
                **{joint.name: (joint.lower, joint.upper) for joint in self.model.joints},
                **{name: spec.range for name, spec in self.model.channels.items()},
            },
            placeholders=self.model.placeholders,
            symmetry=Symmetry(self.chains, own_joints),
            controllers=tuple(self.model.controllers),
            gait=self.model.commands.cmd_vel,
        )

    @property
    def manipulators(self) -> tuple[frozenset[str], ...]:
        """Names of the links of each soft manipulator, without those that no joint moves."""
        specs = self.model.soft.values()
        return tuple(frozenset(part.name for part in spec.moved) for spec in specs)

    def forward(self, joints: Mapping[str, float]) -> dict[str, Array]:
        """(4, 4) tip poses in the base link of each chain, for positions of `joints` by name."""
        return _forward(self.chains, joints)

    def measured_state(self, joints: Mapping[str, float], tilt: float = 0.0) -> State:
        """State of the robot at rest from measured joint positions [rad] or [m].

        A joint beyond its range, as when it yields under load at its end, counts as at the end of
        its range: no motion can begin outside. Channels that are not measured count as 0.

        Args:
            joints: measured positions of the joints, and values of channels, by name.
            tilt: measured, see `State` [rad].
        """
        known = {**dict.fromkeys(self.model.channels, 0.0), **joints}
        independent = {
            name: min(max(known[name], low), high)
            for name, (low, high) in self.vocabulary.limits.items()
        }
        return measured_state(independent, self.stance, self.forward, tilt)

    def library(
        self, folder: Path | None = None, instead: Instead = NOTHING_INSTEAD
    ) -> ActionLibrary:
        """The actions and gaits of a folder, checked against this robot.

        Args:
            folder: holds `actions/` and `gaits/`; default the robot's own.
            instead: files that replace those of the same name, in the folder or in those of
                robots that it extends, or are added to them.

        Raises:
            ProblemsError: everything that is wrong in any of the files.
        """
        folder = folder or self.model.folder
        return ActionLibrary(
            folder,
            self.vocabulary,
            lambda known: self._command_problems(folder, known),
            self.model.bases,
            instead,
        )

    def _command_problems(self, folder: Path, known: Known) -> list[str]:
        """What is wrong with `commands` in `robot.yaml`: the gait and the action it names."""
        gait, action = self.model.commands.cmd_vel, self.model.commands.body_pose
        texts = [('cmd_vel', text) for text in known.unknown_gait(gait) if gait]
        texts += [('body_pose', text) for text in known.unknown_action(action) if action]
        if action in known.actions:
            parameters = known.actions[action].parameters
            lacking = [name for name in COORDINATES if name not in parameters]
            if lacking:
                text = (
                    f'action {action!r} lacks the parameters {", ".join(lacking)}; expected an '
                    'action that takes a pose of the base'
                )
                texts.append(('body_pose', text))
        if not texts:
            return []
        file = YamlFile(self.model.folder / ROBOT_FILE)
        return [
            placed(folder, file.path, file.problem(['commands', command], text))
            for command, text in texts
        ]

    def planner(self, library: ActionLibrary) -> Planner:
        """A planner of this robot's sub-actions."""
        return Planner(
            self.stance,
            library.gaits,
            self.vocabulary,
            self.model.poses,
            self.forward,
            self.facts,
            _rolling_feet(self.model, self.chains),
        )

    def pacing(self, refuses: bool = False, **limits: float) -> Pacing:
        """What makes joint trajectories of this robot's plans.

        Args:
            refuses: whether a plan that is too fast for a joint is refused, not slowed down.
            limits: keyword arguments of `joint_limits_of`.
        """
        bounds = joint_limits_of(self.model, **limits)
        accelerations = dict(zip(bounds.joints, bounds.acceleration.tolist(), strict=True))
        return Pacing(Leading(self.model, accelerations), bounds, refuses)


def body_of(model: RobotModel) -> Body:
    """The robot as actions see it, from its model.

    Raises:
        SoftshellError: its legs do not reach the ground from the height at which it is to stand.
    """
    chains = {
        name: chain_from_urdf(model.urdf, chain.base_link, chain.tip_link, name)
        for name, chain in model.chains.items()
    }
    stance = _stance(model, chains)
    closed = None
    if model.cage is not None:
        pose = model.poses[model.cage.pose]
        closed = {name: pose[name] for name in model.joint_names}
    facts = Facts(stance, closed, model.shared, grasps=bool(model.soft))
    return Body(model, chains, stance, facts)


def _stance(model: RobotModel, chains: Mapping[str, SerialChain]) -> Stance | None:
    if model.legs is None:
        return None
    legs = model.legs
    tips = _forward(chains, model.poses[legs.stand])
    # The feet's own plane is the ground of the footprint.
    feet = np.array([[*tips[leg][:2, 3], 0.0] for leg in legs.chains])
    _check_height(model, legs, tips)
    ground = float(np.mean([tips[leg][2, 3] for leg in legs.chains]))
    foot_radius = model.rest_heights[legs.stand] + ground
    return Stance(feet, legs.chains, -ground, model.rest_heights[legs.rest] - foot_radius)


def _check_height(model: RobotModel, legs: LegsSpec, tips: Mapping[str, Array]) -> None:
    """Hold the height at which a robot is to stand against its legs.

    Raises:
        SoftshellError: its feet would be in the ground or, where all are spheres, above it.
    """
    spheres = foot_spheres(model)
    bottoms = [
        (tips[leg][:3] @ [*centre, 1.0])[2] - radius
        for leg, centre, radius in zip(legs.chains, spheres.centre, spheres.radius, strict=True)
    ]
    height, down = model.rest_heights[legs.stand], -min(bottoms)
    above = height > down + HEIGHT_MARGIN and spheres.radius.all()
    if above or height < down - HEIGHT_MARGIN:
        raise SoftshellError(
            f'robot {model.name!r}: rest_height of pose {legs.stand!r} is {height:g}; its feet '
            f'reach {down:.4f} m below its base; expected that height'
        )


def _rolling_feet(model: RobotModel, chains: Mapping[str, SerialChain]) -> RollingFeet:
    """The legs whose feet are spheres, which roll while they stand."""
    if model.legs is None:
        return RollingFeet({}, {})
    spheres = foot_spheres(model)
    places = zip(model.legs.chains, spheres.centre, spheres.radius.tolist(), strict=True)
    feet = {
        leg: RollingFoot(
            chains[leg],
            tuple(chains[leg].index(name) for name in model.own_joints(leg)),
            centre,
            radius,
        )
        for leg, centre, radius in places
        if radius > 0.0
    }
    return RollingFeet(feet, model.poses[model.legs.stand])


def _forward(chains: Mapping[str, SerialChain], joints: Mapping[str, float]) -> dict[str, Array]:
    return {
        name: chain.forward([joints[variable] for variable in chain.variables])
        for name, chain in chains.items()
    }
