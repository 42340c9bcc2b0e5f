"""PyBullet's state of all bodies, as bytes that outlive the bodies."""

from pathlib import Path
from tempfile import TemporaryDirectory

from softshell_sim.quietly import pybullet

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
