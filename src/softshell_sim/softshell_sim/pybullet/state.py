"""The state of all of PyBullet's bodies, as bytes that stay valid after the bodies."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from softshell_sim.pybullet.loading import Numbers
from softshell_sim.pybullet.quietly import pybullet

#: Name of the temporary file that holds a state.
STATE_FILE = 'state.bullet'


def save_state(client: int) -> bytes:
    """The state of all bodies.

    PyBullet does not go on from here exactly as after `restore_state`. The state goes through a
    file, as PyBullet's own saved states are lost when the simulation is reset.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / STATE_FILE
        pybullet.saveBullet(str(path), physicsClientId=client)
        return path.read_bytes()


def restore_state(client: int, content: bytes) -> None:
    """Restore the state of all bodies.

    They have to be the same as when it was saved, and PyBullet has to have them in the same order.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / STATE_FILE
        path.write_bytes(content)
        pybullet.restoreState(fileName=str(path), physicsClientId=client)


@dataclass(frozen=True)
class Motion:
    """Where a body of PyBullet is and how it moves, in PyBullet's own frames and numbers.

    Attributes:
        pose: position and orientation of the root link.
        velocity: linear and angular, of the root link.
        joints: position and velocity of each, in the order of `Numbers.joints`.
    """

    pose: tuple[tuple[float, ...], tuple[float, ...]]
    velocity: tuple[tuple[float, ...], tuple[float, ...]]
    joints: tuple[tuple[float, float], ...]


def motion_of(client: int, numbers: Numbers) -> Motion:
    """The motion of a body, for `move`."""
    body, joints = numbers.body, numbers.joints
    states = pybullet.getJointStates(body, joints, physicsClientId=client) if joints else ()
    return Motion(
        pybullet.getBasePositionAndOrientation(body, physicsClientId=client),
        pybullet.getBaseVelocity(body, physicsClientId=client),
        tuple((state[0], state[1]) for state in states),
    )


def move(client: int, numbers: Numbers, motion: Motion) -> None:
    """Give a body a motion; unlike a state it has no contacts, and asks for no order of bodies."""
    body = numbers.body
    pybullet.resetBasePositionAndOrientation(body, *motion.pose, physicsClientId=client)
    pybullet.resetBaseVelocity(body, *motion.velocity, physicsClientId=client)
    for joint, state in zip(numbers.joints, motion.joints, strict=True):
        pybullet.resetJointState(body, joint, *state, physicsClientId=client)


def forget_contacts(client: int, bodies: Iterable[Numbers]) -> None:
    """Make PyBullet find all contacts anew in the next step, in an order of the bodies alone.

    PyBullet keeps contacts from step to step, and restores them wrongly from a file: it stores
    them by pairs of shapes, but finds them by pairs of links, so that each pair of shapes gets all
    contacts of the last pair of shapes of its links. Setting a collision filter of a link makes
    its entry in the broad phase anew, which drops its contacts.
    """
    for numbers in bodies:
        number = numbers.body
        for link in range(-1, pybullet.getNumJoints(number, physicsClientId=client)):
            # A link never touches itself, so this filter changes nothing else.
            pybullet.setCollisionFilterPair(number, number, link, link, 1, physicsClientId=client)
