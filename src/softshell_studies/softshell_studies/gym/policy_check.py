"""Checks that a policy fits a robot; needs no ROS."""

from pathlib import Path

from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError
from softshell_studies.gym.policy import Network, load_policy
from softshell_studies.gym.task import size_of
from softshell_studies.gym.wiring import Wiring, wiring_of


def wired_policy(path: Path, robot: str) -> tuple[Network, Wiring]:
    """Load a policy and its wiring to a robot.

    Args:
        path: file of the policy.
        robot: name of the robot, or path of its folder.

    Raises:
        SoftshellError: the file cannot be read or is no policy, there is no such robot, or the
            policy was not made for it.
    """
    network = load_policy(path)
    model = load_robot(robot)
    wiring = wiring_of(network.task, model)
    trained_with = network.facts.get('robot', model.name)
    if trained_with != model.name:
        raise SoftshellError(
            f'{path} was trained with robot {trained_with!r}; expected a policy for {model.name!r}'
        )
    wanted = size_of(wiring.observations), size_of(wiring.actions)
    seen, done = len(network.mean), len(network.biases[-1])
    if (seen, done) != wanted:
        raise SoftshellError(
            f'{path} takes {seen} numbers and returns {done}; robot {robot!r} gives {wanted[0]} '
            f'and takes {wanted[1]}: expected a policy that was trained with it'
        )
    return network, wiring
