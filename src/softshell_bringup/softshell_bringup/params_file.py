"""Finds the sections of a ROS parameters file that no node of the stack reads."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from softshell_kinematics.errors import SoftshellError

PARAMETERS = 'ros__parameters'


def unused_sections(path: Path, nodes: Sequence[str]) -> list[str]:
    """A line for each section of a parameters file that is for none of the nodes.

    ROS ignores such sections without a message, e.g. `bridge:` if the bridge is `/one/bridge`.

    Args:
        path: path of the file.
        nodes: full names of the nodes, e.g. `/one/bridge`.

    Raises:
        ProblemsError: the file cannot be read or is no YAML.
        SoftshellError: the file has no parameters.
    """
    from softshell_common.yaml_file import YamlFile

    file = YamlFile(path)
    texts = []
    sections = list(_sections(file.data))
    if not sections:
        raise SoftshellError(
            f'{file.path}: has no {PARAMETERS}; expected NODE: {{{PARAMETERS}: {{NAME: VALUE}}}}'
        )
    for keys in sections:
        pattern = '/'.join(key.strip('/') for key in keys)
        if not any(fits(pattern, node) for node in nodes):
            name = pattern.split('/')[-1]
            nearest = [node for node in nodes if fits(f'**/{name}', node)]
            hint = f'; did you mean {" or ".join(nearest)}, or /**/{name}?' if nearest else ''
            known = '' if nearest else f': {", ".join(nodes)}'
            where = file.where(keys)
            texts.append(f'{file.path}: {where}: is for no node of the stack{known}{hint}')
    return texts


def fits(pattern: str, node: str) -> bool:
    """Whether a section of a file is for a node; `*` stands for one name, `**` for any number."""
    return _fit(pattern.strip('/').split('/'), node.strip('/').split('/'))


def _fit(pattern: Sequence[str], names: Sequence[str]) -> bool:
    if not pattern:
        return not names
    if pattern[0] == '**':
        return any(_fit(pattern[1:], names[count:]) for count in range(len(names) + 1)) or (
            len(pattern) == 1
        )
    return bool(names) and pattern[0] in ('*', names[0]) and _fit(pattern[1:], names[1:])


def _sections(data: object, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The keys that lead to each `ros__parameters` of a document."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == PARAMETERS:
                yield above
            else:
                yield from _sections(value, (*above, str(key)))
