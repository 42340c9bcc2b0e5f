"""PyBullet's state of all bodies, as bytes that outlive the bodies."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from softshell_sim.pybullet.loading import Numbers
from softshell_sim.pybullet.quietly import pybullet

#: Name of a file that holds a state.
STATE_FILE = 'state.bullet'


def save_state(client: int) -> bytes:
    """The state, in which PyBullet goes on otherwise than it will after `restore_state`.

    A state that PyBullet keeps itself is gone when it is cleared; that of a file is not.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / STATE_FILE
        pybullet.saveBullet(str(path), physicsClientId=client)
        return path.read_bytes()


def restore_state(client: int, content: bytes) -> None:
    """Bring all bodies to a state that was saved while there were as many of the same."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / STATE_FILE
        path.write_bytes(content)
        pybullet.restoreState(fileName=str(path), physicsClientId=client)


def forget_contacts(client: int, bodies: Iterable[Numbers]) -> None:
    """Have PyBullet find all contacts anew in the next step, in an order of the bodies alone.

    It refines contacts from step to step, and what a file holds of that is restored wrongly:
    PyBullet knows them by pairs of links, but keeps them by pairs of shapes, and gives each pair
    of shapes all contacts of the last pair of shapes of both links. They are dropped with the
    entry of a link in the broad phase, which is made anew whenever a filter of the link is set.
    """
    for numbers in bodies:
        number = numbers.body
        for link in range(-1, pybullet.getNumJoints(number, physicsClientId=client)):
            # A link never touches itself, so this filter changes nothing else.
            pybullet.setCollisionFilterPair(number, number, link, link, 1, physicsClientId=client)
