"""Which chains of a robot the node answers for."""

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.model.from_urdf import (
    chain_from_urdf,
    chains_to_leaves,
    leaves_apart,
    leaves_refused,
)
from softshell_kinematics.model.urdf import Urdf

SUBJECT = 'parameter chains'


def read_chains(urdf: Urdf, text: str, base: str) -> dict[str, tuple[str, str]]:
    """The chains that a node's parameters name.

    Args:
        urdf: the robot.
        text: `NAME BASE TIP` of each chain, separated by commas; empty: from `base` to every leaf.
        base: link where the chains to the leaves start; empty: as in `chains_to_leaves`.

    Returns:
        (base link, tip link) by chain.

    Raises:
        ProblemsError: all entries that are wrong: not three names, a name twice, a link that the
            robot does not have, or two links between which no joint moves, or one is `loose`.
        UnknownNameError: the robot has no link named `base`.
        SoftshellError: the only chains to leaves cannot be made.
    """
    if not text.strip():
        leaves = chains_to_leaves(urdf, base)
        return {name: (chain.base, chain.tip) for name, chain in leaves.items()}
    chains, problems = _entries(text)
    for name, (start, tip) in chains.items():
        try:
            chain_from_urdf(urdf, start, tip, name)
        except SoftshellError as error:
            problems.append(f'chain {name!r}: {error}')
    if problems:
        raise ProblemsError(SUBJECT, problems)
    return chains


def left_out(urdf: Urdf, text: str, base: str) -> str:
    """Say which leaves have no chain, and why; empty if all have one.

    Args:
        urdf, text, base: as in `read_chains`.
    """
    told = [f'joint {joint.name!r} {joint.problem}' for joint in urdf.joints if joint.problem]
    apart = () if text.strip() else leaves_apart(urdf, base)
    if apart:
        told.append(
            f'no chain from {base!r} to {", ".join(map(repr, apart))}: a joint between them is '
            'floating or planar, or mimics a joint that it cannot follow; the parameter chains '
            'can name chains that start on the other side of it'
        )
    refused = {} if text.strip() else leaves_refused(urdf, base)
    told += [f'no chain to {leaf!r}: {reason}' for leaf, reason in refused.items()]
    return '; '.join(told)


def check_form(text: str) -> None:
    """Refuse a text whose entries are not three names each, before any robot is known.

    Raises:
        ProblemsError: all entries that are wrong.
    """
    problems = _entries(text)[1] if text.strip() else []
    if problems:
        raise ProblemsError(SUBJECT, problems)


def _entries(text: str) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """The chains that a text names, and what is wrong with its other entries."""
    chains: dict[str, tuple[str, str]] = {}
    problems = []
    for entry in text.split(','):
        match entry.split():
            case [name, start, tip] if name not in chains:
                chains[name] = (start, tip)
            case [name, _, _]:
                problems.append(f'chain {name!r} is given twice')
            case _:
                problems.append(f'{entry.strip()!r} is not a chain; expected NAME BASE TIP')
    return chains, problems


def rigidly_at(urdf: Urdf, base: str) -> frozenset[str]:
    """Names of the links that no joint moves against the base.

    Raises:
        UnknownNameError: the robot has no link of that name.
    """

    def carrier(link: str) -> str:
        while link in urdf.carriers and urdf.carriers[link].still:
            link = urdf.carriers[link].parent
        return link

    body = carrier(urdf.link(base).name)
    return frozenset(link.name for link in urdf.links if carrier(link.name) == body)
