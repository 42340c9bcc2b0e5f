"""All contacts of a world at one time, as arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Contact


@dataclass(frozen=True, eq=False)
class ContactTable:
    """All contacts after the last step; the engine does not change the arrays later.

    Args:
        bodies: of the world.
        owner: (contacts, 2) places in `bodies` of the first and the second body.
        link: (contacts, 2) places of the links of the first and the second body.
        point: (contacts, 3) in the world [m].
        normal: (contacts, 3) unit vectors from the second body towards the first.
        depth: (contacts,) how deep the layers overlap [m]; negative: they are that far apart.
        force: (contacts, 3) on the first body, in the world [N].
        friction: (contacts,) coefficients of friction.
    """

    bodies: tuple[Body, ...]
    owner: NDArray[np.int64]
    link: NDArray[np.int64]
    point: Array
    normal: Array
    depth: Array
    force: Array
    friction: Array

    @classmethod
    def empty(cls, bodies: tuple[Body, ...]) -> 'ContactTable':
        """A table without contacts."""
        ends = np.zeros((0, 2), dtype=np.int64)
        none, vectors = np.zeros(0), np.zeros((0, 3))
        return cls(bodies, ends, ends, vectors, vectors, none, vectors, none)

    def __len__(self) -> int:
        return len(self.depth)

    def of(self, body: Body) -> list[Contact]:
        """Contacts of a body; one between two of its links comes twice, once for each link."""
        found = []
        for row in range(len(self)):
            for side in (0, 1):
                if self.bodies[self.owner[row, side]] is body:
                    found.append(self.contact(row, side))
        return found

    def sum_forces(self, body: Body, force: Array) -> None:
        """Write the force of all contacts on each link of a body, (links, 3) in the world [N]."""
        force.fill(0.0)
        if body not in self.bodies:  # it was added after the step
            return
        place = self.bodies.index(body)
        for side, sign in enumerate((1.0, -1.0)):
            rows = self.owner[:, side] == place
            np.add.at(force, self.link[rows, side], sign * self.force[rows])

    def contact(self, row: int, side: int = 0) -> Contact:
        """The contact in a `row` as its first body feels it, or (`side` 1) as its second does."""
        sign = 1.0 - 2.0 * side
        return Contact(
            link=int(self.link[row, side]),
            other=self.bodies[self.owner[row, 1 - side]],
            other_link=int(self.link[row, 1 - side]),
            point=self.point[row].copy(),
            normal=sign * self.normal[row],
            depth=float(self.depth[row]),
            force=sign * self.force[row],
            friction=float(self.friction[row]),
        )
