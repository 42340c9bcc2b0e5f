"""Forward kinematics of several chains in one compiled call, for control loops."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.kernels.bundles import Chain, Floats, Integers
from softshell_kinematics.kernels.compiled import entry
from softshell_kinematics.kernels.forward import forward
from softshell_kinematics.kernels.work import POSE, Q, allocate
from softshell_kinematics.model.chain import SerialChain, stacked


class Tips:
    """The tips of several chains, from one vector of joints.

    Args:
        chains: one or more.
        names: of the joints in the vector, among them all variables of the chains.

    Raises:
        SoftshellError: there is no chain.
        UnknownNameError: a chain's variable is not among the names.
    """

    def __init__(self, chains: Sequence[SerialChain], names: Sequence[str]) -> None:
        if not chains:
            raise SoftshellError('Tips of no chain; expected one or more')
        self._count = len(names)
        places = {name: place for place, name in enumerate(names)}
        most = max(len(chain) for chain in chains)
        self._columns = np.zeros((len(chains), most), dtype=np.int64)
        self._largest = np.zeros((len(chains), most))
        for row, chain in enumerate(chains):
            for column, name in enumerate(chain.variables):
                if name not in places:
                    raise UnknownNameError('joint', name, names)
                self._columns[row, column] = places[name]
            self._largest[row, : len(chain)] = chain.ranges.largest
        self._numbers, self._codes, self._rows = stacked(chains)

    def forward(
        self, joints: Array, rotations: Array, positions: Array, known: NDArray[np.bool_]
    ) -> None:
        """Write the pose of every tip in the base of its chain.

        Args:
            joints: (names,) [rad] or [m], NaN where unknown.
            rotations: (chains, 3, 3) written where the tip is known.
            positions: (chains, 3) [m] likewise.
            known: (chains,) written: whether all joints of the chain are finite, and no larger
                than `limits` allow.

        Raises:
            SoftshellError: a shape is another.
        """
        count = len(self._rows)
        refuse_other_shapes(
            ('joints', joints, (self._count,)),
            ('rotations', rotations, (count, 3, 3)),
            ('positions', positions, (count, 3)),
            ('known', known, (count,)),
        )
        _forward_all(
            self._numbers, self._codes, self._rows, self._columns, self._largest,
            joints, rotations, positions, known,
        )  # fmt: skip


def refuse_other_shapes(*given: tuple[str, NDArray[Any], tuple[int, ...]]) -> None:
    """Refuse arrays beyond whose ends a kernel would read or write.

    Args:
        given: subject, array and expected shape of each.

    Raises:
        SoftshellError: for the first of another shape.
    """
    for subject, values, shape in given:
        if values.shape != shape:
            raise SoftshellError(f'{subject} has shape {values.shape}; expected {shape}')


@entry
def _forward_all(
    numbers: Floats,
    codes: Integers,
    rows: Integers,
    columns: Integers,
    largest: Floats,
    joints: Floats,
    rotations: Floats,
    positions: Floats,
    known: NDArray[np.bool_],
) -> None:
    memory = allocate(numbers.shape[0], columns.shape[1])
    work, frames = memory.work, memory.frames
    for c in range(rows.shape[0]):
        chain = Chain(numbers, codes, rows[c, 0], rows[c, 1], rows[c, 2])
        known[c] = True
        for i in range(chain.n):
            value = joints[columns[c, i]]
            # False for NaN as well.
            if not abs(value) <= largest[c, i]:
                known[c] = False
            work[Q, i] = value
        if not known[c]:
            continue
        forward(chain, Q, work, frames)
        for i in range(3):
            positions[c, i] = work[POSE, 9 + i]
            for j in range(3):
                rotations[c, i, j] = work[POSE, 3 * i + j]
