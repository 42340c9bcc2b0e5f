"""Which chains of a robot the node answers for."""

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.from_urdf import chain_from_urdf, chains_to_leaves
from softshell_kinematics.urdf import Urdf


def read_chains(urdf: Urdf, text: str, base: str) -> dict[str, tuple[str, str]]:
    """The chains that a node's parameters name.

    Args:
        urdf: the robot.
        text: `NAME BASE TIP` of each chain, separated by commas; empty: from `base` to every leaf.
        base: link where the chains to the leaves start; empty: the root.

    Returns:
        (base link, tip link) by chain.

    Raises:
        ProblemsError: entries that are no three names, or between whose links nothing moves.
        UnknownNameError: no link is called like `base`.
    """
    if not text.strip():
        leaves = chains_to_leaves(urdf, base)
        return {name: (chain.base, chain.tip) for name, chain in leaves.items()}
    chains: dict[str, tuple[str, str]] = {}
    problems = []
    for entry in text.split(','):
        match entry.split():
            case [name, start, tip] if name not in chains:
                chains[name] = (start, tip)
                try:
                    chain_from_urdf(urdf, start, tip, name)
                except SoftshellError as error:
                    problems.append(str(error))
            case [name, _, _]:
                problems.append(f'chain {name!r} is given twice')
            case _:
                problems.append(f'{entry.strip()!r} is no chain; expected NAME BASE TIP')
    if problems:
        raise ProblemsError('parameter chains', problems)
    return chains
