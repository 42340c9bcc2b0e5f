"""Names of rosdep keys and apt packages are those that were looked up in published lists.

published_names.yaml says in which list each was found, and when.
"""

import datetime
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import yaml

from softshell_tools import interpreter

ROOT = Path(__file__).parents[2]
PUBLISHED = yaml.safe_load(
    Path(__file__).with_name('published_names.yaml').read_text(encoding='utf-8')
)
MANIFESTS = [path for top in ('src', 'interfaces', 'examples')
             for path in sorted((ROOT / top).glob('*/package.xml'))]  # fmt: skip
#: Where people read what to install.
TEXTS = ('README.md', 'CONTRIBUTING.md', 'docker/Dockerfile', 'docs/*.md', 'examples/**/*.md',
         'src/**/*.py', 'tools/**/*.py', 'tests/**/*.py')  # fmt: skip
#: A Python that the set-up is asked for, and that of the machine: which are in a list. For other
#: pairs, e.g. 3.12 beside Debian's 3.11, packages come from elsewhere, and no list names them.
LISTED = (((3, 11), (3, 11)), ((3, 12), (3, 12)), ((3, 11), (3, 12)))
NAME = r'[a-z0-9][a-z0-9.+-]+'


def looked_up(kind: str) -> set[str]:
    """All names of a kind, `keys` or `apt`, in whatever list they were found."""
    return {name for names in PUBLISHED[kind].values() for name in names}


def test_every_list_is_named_and_has_a_date():
    """Each name stands under a list of which the file says what it is, and once in it."""
    assert isinstance(PUBLISHED['looked_up'], datetime.date)
    for kind in ('keys', 'apt'):
        assert {*PUBLISHED[kind]} <= {*PUBLISHED['lists']}
        for names in PUBLISHED[kind].values():
            assert names == sorted(set(names))


def test_every_rosdep_key_was_looked_up():
    """What the package.xml files declare beyond our own packages, no less and no more."""
    ours, used = set(), set()
    for path in MANIFESTS:
        tree = ElementTree.parse(path)
        if path.parents[1].name != 'interfaces':  # those stand in for packages of ROS
            ours.add(tree.findtext('name'))
        used |= {str(e.text).strip() for e in tree.iter() if str(e.tag).endswith('depend')}
    assert used - ours == looked_up('keys')


def apt_packages(text: str) -> set[str]:
    """Packages that a text installs by apt, or names as packages of ROS for apt."""
    commands = re.findall(rf'apt(?:-get)? install(?: -\S+)*((?: {NAME})+)', text)
    return {*' '.join(commands).split(), *re.findall(rf'\b(ros-jazzy-{NAME})', text)}


def told_by_the_set_up(monkeypatch) -> set[str]:
    """Packages that `./softshell` names on machines that lack everything."""
    monkeypatch.setattr(shutil, 'which', lambda name: None)
    lacking, told = {'venv': False, 'headers': False, 'rclpy': False}, set()
    assert {version for version, _ in LISTED} == {*interpreter.VERSIONS}
    for version, own in LISTED:
        monkeypatch.setattr(interpreter, 'probe', {interpreter.SYSTEM: {'version': own}}.get)
        for sourced in (False, True):
            missing = interpreter.missing({**lacking, 'version': version}, sourced)
            told |= {package for _, package in missing}
    return told


def test_every_apt_package_was_looked_up(monkeypatch):
    """Those in the Dockerfile, on the pages and in messages, no less and no more."""
    texts = {path for pattern in TEXTS for path in ROOT.glob(pattern)} - {Path(__file__)}
    used = set().union(*(apt_packages(path.read_text(encoding='utf-8')) for path in texts))
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    (machine,) = re.findall(r'runs on Debian 12 and Ubuntu 24\.04 with (.*?), on x86-64', readme)
    used |= {*re.findall(rf'`({NAME})`', machine)} | told_by_the_set_up(monkeypatch)
    assert used == looked_up('apt')
