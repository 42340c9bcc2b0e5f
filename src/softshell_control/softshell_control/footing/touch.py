"""Whether feet meet the ground: by what they feel, or else by the effort of their legs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_control.backend import Measured
from softshell_control.footing.law import Soles
from softshell_description.model import RobotModel
from softshell_kinematics.chain import SerialChain


class Touch:
    """Tells which feet meet the ground.

    Args:
        robot: with legs.
        chains: of its legs, to the feet.
        names: of the joints.
    """

    def __init__(
        self, robot: RobotModel, chains: Sequence[SerialChain], names: Sequence[str]
    ) -> None:
        self._touching = np.zeros(len(chains), dtype=np.bool_)

    def of(self, measured: Measured, soles: Soles) -> NDArray[np.bool_]:
        """(feet,) whether each meets the ground."""
        contacts = measured.contacts
        if contacts is not None:
            self._touching[:] = contacts.touching
        return self._touching
