"""The names that the pages of the reference have: topics, arguments, parameters, definitions."""

import re
from functools import cache
from importlib import import_module

import yaml
from pages import REFERENCE, ROOT, code, tables, text_of, written

KINDS = ('topic', 'service', 'action')


@cache
def endpoints() -> dict[str, tuple[str, str]]:
    """Kind and type of each topic, service and action, by name."""
    found = {}
    for table in tables(text_of(REFERENCE / 'topics.md')):
        assert table.head[0] in KINDS
        for name, type_, *_ in table.rows:
            found[name.strip('`')] = (table.head[0], type_.strip('`'))
    return found


@cache
def arguments() -> dict[str, list[str]]:
    """The values that each argument of the stack may have, by name; none listed: any."""
    (table,) = tables(text_of(REFERENCE / 'arguments.md'))
    listed = re.compile(r'\w+( or \w+)+')
    found = {
        name.strip('`'): valid.split(' or ') if listed.fullmatch(valid) else []
        for name, _, valid, _ in table.rows
    }
    robots = [path.parent.name for path in ROOT.glob('config/robots/*/robot.yaml')]
    return found | {'robot': robots}


@cache
def parameters() -> dict[str, dict[str, bool]]:
    """The parameters of each node, and whether they can be set while it runs."""
    found: dict[str, dict[str, bool]] = {}
    for section in text_of(REFERENCE / 'parameters.md').split('\n## ')[1:]:
        node = re.split(r'[,\n]', section)[0]
        for table in tables(section):
            live = {name.strip('`'): cell == 'live' for name, _, _, cell, _ in table.rows}
            found.setdefault(node, {}).update(live)
    return found


@cache
def of_nodes() -> set[str]:
    """The parameters of all nodes."""
    return {name for names in parameters().values() for name in names}


@cache
def definitions() -> set[str]:
    """Names of our messages, services and actions."""
    page = text_of(REFERENCE / 'interfaces.md')
    return {*re.findall(r'^### (\w+)$', page, re.MULTILINE)}


@cache
def actions() -> dict[str, set[str]]:
    """Names and parameters of the actions of all robots, and of those that pages show to write."""
    files = [
        path for top in ('config', 'examples') for path in (ROOT / top).rglob('actions/*.yaml')
    ]
    texts = [path.read_text(encoding='utf-8') for path in files]
    texts += [block for _, text in written() for block in code(text, 'yaml')]
    found: dict[str, set[str]] = {}
    for text in texts:
        if re.search('^sub_actions:', text, re.MULTILINE):
            action = yaml.load(text, yaml.CSafeLoader)
            found.setdefault(action.get('name', ''), set()).update(action.get('parameters', {}))
    return found


def entries_of(service: str) -> list[str]:
    """The entries of the request of a service."""
    kind, type_ = endpoints()[service]
    assert kind == 'service'
    package, _, name = type_.partition('/srv/')
    request = getattr(import_module(f'{package}.srv'), name).Request
    return list(request.get_fields_and_field_types())


def of_actions() -> set[str]:
    """The parameters of all actions."""
    return {name for names in actions().values() for name in names}


def short(type_: str) -> str:
    """A type without its middle part: `std_srvs/Trigger` of `std_srvs/srv/Trigger`."""
    return re.sub(r'/(msg|srv|action)/', '/', type_)


def found_as(name: str) -> list[tuple[str, str]]:
    """Kind and type of what a name on a page means; none if the reference has no such name.

    Args:
        name: as ROS has it: relative, absolute with `/`, or private with `~/`, which means the
            name behind any node; a part in capitals is for the reader to fill in.
    """
    wanted = re.sub('^[A-Z]+/', 'CAMERA/', name)
    return [
        found
        for each, found in endpoints().items()
        if each.lstrip('/') == wanted.lstrip('/')
        or (wanted.startswith('~/') and each.partition('/')[2] == wanted[2:])
    ]
