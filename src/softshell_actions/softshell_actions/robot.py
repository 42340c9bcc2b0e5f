"""The robot as actions see it, made from its model: chains, stance, forward kinematics."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softshell_actions.library import ActionLibrary
from softshell_actions.planner import Planner
from softshell_actions.state import Array, Stance, State, measured_state
from softshell_description.expand import share_directory
from softshell_description.model import RobotModel, load_robot
from softshell_kinematics.chain import SerialChain
from softshell_kinematics.from_urdf import chain_from_urdf


@dataclass(frozen=True)
class Body:
    """A robot for the planner.

    Args:
        model: its description.
        chains: kinematics of every limb by name.
        stance: how it stands, from the poses `stand` and `idle`.
    """

    model: RobotModel
    chains: Mapping[str, SerialChain]
    stance: Stance

    @property
    def fixed_joints(self) -> tuple[str, ...]:
        """Joints that several limbs share; inverse kinematics leaves them alone."""
        return tuple(
            joint.name for joint in self.model.joints if not self.model.groups[joint.group]
        )

    @property
    def own_joints(self) -> dict[str, tuple[str, ...]]:
        """Joints of each chain that it shares with no other, base to tip."""
        return {
            name: tuple(joint for joint in chain.variables if joint not in self.fixed_joints)
            for name, chain in self.chains.items()
        }

    def forward(self, joints: Mapping[str, float]) -> dict[str, Array]:
        """(4, 4) tip poses in base_link by chain."""
        return _forward(self.chains, joints)

    def measured_state(self, joints: Mapping[str, float]) -> State:
        """State of the robot at rest from measured joint positions [rad]."""
        independent = {name: joints[name] for name in self.model.joint_names}
        return measured_state(independent, self.stance, self.forward)

    def library(self, folder: Path | None = None) -> ActionLibrary:
        """The actions and gaits of a folder, checked against this robot.

        Args:
            folder: holds `actions/` and `gaits/`; default the installed one.
        """
        facts = {
            'stand_height': self.stance.stand_height,
            'lying_height': self.stance.lying_height,
        }
        poses = tuple(self.model.poses)
        return ActionLibrary(folder or config_folder(), self.model.groups, poses, facts)

    def planner(self, library: ActionLibrary) -> Planner:
        """A planner of this robot's sub-actions."""
        return Planner(
            self.stance,
            library.gaits,
            self.model.groups,
            self.own_joints,
            self.model.poses,
            self.forward,
        )


def load_body(model: RobotModel | None = None) -> Body:
    """The robot of a model; default the installed one."""
    model = model or load_robot()
    chains = {
        name: chain_from_urdf(model.urdf, chain.base_link, chain.tip_link, name)
        for name, chain in model.chains.items()
    }
    legs = model.groups['lower']
    tips = _forward(chains, model.poses['stand'])
    # The feet's own plane is the ground of the footprint.
    feet = np.array([[*tips[leg][:2, 3], 0.0] for leg in legs])
    ground = float(np.mean([tips[leg][2, 3] for leg in legs]))
    foot_radius = model.rest_heights['stand'] + ground
    stance = Stance(feet, legs, -ground, model.rest_heights['idle'] - foot_radius)
    return Body(model, chains, stance)


def config_folder() -> Path:
    """The folder that holds the installed `actions/` and `gaits/`, or the checkout's."""
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory('softshell_actions')) / 'config'
    except (ImportError, LookupError, OSError):
        return share_directory() / 'config'


def _forward(chains: Mapping[str, SerialChain], joints: Mapping[str, float]) -> dict[str, Array]:
    return {
        name: chain.forward([joints[variable] for variable in chain.variables])
        for name, chain in chains.items()
    }
