"""Which bodies and links touched during several steps, and with what forces."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import Body, Contact
from softshell_sim.contact.clusters import MOST, cluster
from softshell_sim.contact.contact_table import ContactTable
from softshell_sim.physics.engine import Engine


@dataclass(frozen=True, eq=False)
class PairFeedback:
    """How two bodies, or two links, touched.

    Args:
        body, other: the bodies; the same one twice: its links among each other.
        link, other_link: places of the links; None: the pair is of whole bodies.
        in_contact: whether they touch after the last step.
        had_contact, had_separation: whether there was a step after which they touched, and one
            after which they did not.
        had_penetration: whether there was a step after which they overlapped by more than their
            layers; never without layers.
        contacts: after the last step, as `body` feels them; clustered, see `contact/clusters.py`.
        force: (3,) on `body` in the last step, in the world [N].
        mean_force: (3,) on `body`, mean over all steps, in the world [N].
        links: of a pair of bodies, the pairs of their links that touched.
    """

    body: Body
    other: Body
    link: int | None = None
    other_link: int | None = None
    in_contact: bool = False
    had_contact: bool = False
    had_penetration: bool = False
    had_separation: bool = True
    contacts: tuple[Contact, ...] = ()
    force: Array = field(default_factory=lambda: np.zeros(3))
    mean_force: Array = field(default_factory=lambda: np.zeros(3))
    links: tuple['PairFeedback', ...] = ()

    def reversed(self) -> 'PairFeedback':
        """The same pair with the bodies swapped: what `other` feels."""
        return replace(
            self,
            body=self.other,
            other=self.body,
            link=self.other_link,
            other_link=self.link,
            contacts=tuple(
                replace(
                    contact,
                    link=contact.other_link,
                    other=self.body,
                    other_link=contact.link,
                    normal=-contact.normal,
                    force=-contact.force,
                    couple=-contact.couple,
                )
                for contact in self.contacts
            ),
            force=-self.force,
            mean_force=-self.mean_force,
            links=tuple(pair.reversed() for pair in self.links),
        )


@dataclass(frozen=True, eq=False)
class ContactReport:
    """All pairs of bodies that touched during some steps.

    Args:
        steps: how many steps of the engine it covers.
        pairs: of bodies, each pair once.
    """

    steps: int
    pairs: tuple[PairFeedback, ...]

    def between(self, body: Body, other: Body) -> PairFeedback:
        """How a body and an `other` touched, as the first feels it; without contact if not."""
        for pair in self.pairs:
            if pair.body is body and pair.other is other:
                return pair
            if pair.body is other and pair.other is body:
                return pair.reversed()
        return PairFeedback(body, other)


#: A pair: body, link, other body, other link; links are None in a pair of whole bodies.
Key = tuple[Body, int | None, Body, int | None]


@dataclass(eq=False)
class _Tally:
    """Counts of a pair: steps in contact, number of the last one, penetration, (3,) forces [N]."""

    steps: int = 0
    last: int = -1
    penetrated: bool = False
    force: Array = field(default_factory=lambda: np.zeros(3))
    force_sum: Array = field(default_factory=lambda: np.zeros(3))


class ContactFeedback:
    """Watches the contacts of an engine step by step; it costs time only if it is used.

    Call `begin` before the first of some steps, `after_step` after each, then `read`.

    Args:
        engine: that is watched.
        most: largest number of contacts that are reported of a pair of links.
    """

    def __init__(self, engine: Engine, most: int = MOST) -> None:
        self._engine, self._most = engine, most
        self.begin()

    def begin(self) -> None:
        """Forget everything."""
        self._steps = 0
        self._tallies: dict[Key, _Tally] = {}
        self._table = ContactTable.empty(())

    def after_step(self) -> None:
        """Count the contacts of the step that has just passed."""
        self._table = table = self._engine.all_contacts()
        now = self._steps
        for row in _touching(table):
            body, link, other, other_link, side = _key(table, row)
            force = table.force[row] if side == 0 else -table.force[row]
            layers = self._engine.padding[body] + self._engine.padding[other]
            through = bool(0.0 < layers < table.depth[row])
            for key in ((body, None, other, None), (body, link, other, other_link)):
                tally = self._tallies.setdefault(key, _Tally())
                if tally.last != now:
                    tally.steps += 1
                    tally.last = now
                    tally.force = np.zeros(3)
                tally.force += force
                tally.force_sum += force
                tally.penetrated |= through
        self._steps += 1

    def read(self) -> ContactReport:
        """The pairs that touched since `begin`."""
        contacts: dict[Key, list[Contact]] = {}
        for row in _touching(self._table):
            body, link, other, other_link, side = _key(self._table, row)
            key = (body, link, other, other_link)
            contacts.setdefault(key, []).append(self._table.contact(row, side))
        links = [
            self._pair(key, cluster(contacts.get(key, []), self._most))
            for key in self._tallies
            if key[1] is not None
        ]
        return ContactReport(
            self._steps,
            tuple(
                self._of_bodies(key, [pair for pair in links if _same(pair, key)])
                for key in self._tallies
                if key[1] is None
            ),
        )

    def _of_bodies(self, key: Key, links: list[PairFeedback]) -> PairFeedback:
        contacts = [contact for pair in links for contact in pair.contacts]
        return replace(self._pair(key, contacts), links=tuple(links))

    def _pair(self, key: Key, contacts: Iterable[Contact]) -> PairFeedback:
        body, link, other, other_link = key
        tally = self._tallies[key]
        now = tally.last == self._steps - 1
        return PairFeedback(
            body,
            other,
            link,
            other_link,
            in_contact=now,
            had_contact=True,
            had_penetration=tally.penetrated,
            had_separation=tally.steps < self._steps,
            contacts=tuple(contacts),
            force=tally.force.copy() if now else np.zeros(3),
            mean_force=tally.force_sum / self._steps,
        )


def _touching(table: ContactTable) -> list[int]:
    """Rows of contacts whose layers overlap, or that have a force."""
    rows: list[int] = np.flatnonzero((table.depth >= 0.0) | table.force.any(axis=1)).tolist()
    return rows


def _key(table: ContactTable, row: int) -> tuple[Body, int, Body, int, int]:
    """Both ends of a contact, in the order of their places, and the side of the first (0, 1)."""
    (one, other), (link, other_link) = table.owner[row].tolist(), table.link[row].tolist()
    if (one, link) <= (other, other_link):
        return table.bodies[one], link, table.bodies[other], other_link, 0
    return table.bodies[other], other_link, table.bodies[one], link, 1


def _same(pair: PairFeedback, key: Key) -> bool:
    """Whether a pair of links belongs to a pair of bodies."""
    return pair.body is key[0] and pair.other is key[2]
