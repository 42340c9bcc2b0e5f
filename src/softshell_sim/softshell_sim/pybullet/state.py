"""The state of all of PyBullet's bodies, as bytes that stay valid after the bodies."""

from collections.abc import Iterable
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
    """Restore the state of all bodies; they have to be the same as when it was saved."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / STATE_FILE
        path.write_bytes(content)
        pybullet.restoreState(fileName=str(path), physicsClientId=client)


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
