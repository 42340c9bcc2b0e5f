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
    seen, done = size_of(wiring.observations), size_of(wiring.actions)
    refuse_misfit(path, network, model.name, seen, done)
    return network, wiring


def refuse_misfit(path: Path, network: Network, robot: str | None, seen: int, done: int) -> None:
    """Check that a policy fits a robot or a task.

    Args:
        path: file of the policy.
        network: the policy.
        robot: name of the robot; None: the task has none.
        seen, done: how many numbers the task gives and takes.

    Raises:
        SoftshellError: it was trained with another robot or other settings.
    """
    trained_with = network.facts.get('robot', robot)
    if trained_with != robot:
        raise SoftshellError(
            f'{path} was trained with robot {trained_with!r}; expected a policy for {robot!r}'
        )
    takes, returns = len(network.mean), len(network.biases[-1])
    if (takes, returns) != (seen, done):
        what = f'{seen} and {done}' + (f' for robot {robot!r}' if robot else '')
        raise SoftshellError(
            f'{path} takes {takes} numbers and returns {returns}; expected {what}: it was trained '
            'with another robot or other settings'
        )
