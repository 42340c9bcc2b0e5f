"""What a release says of itself: version, citation, licences."""

import importlib.metadata
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
#: Sets whose packages come as wheels of ROS, which the page names as one, or are not imported.
APART = ('bench', 'ros-wheels')


def version() -> str:
    """That of the newest release in the changelog."""
    found = re.search(r'^## \[(\d+\.\d+\.\d+)\]', (ROOT / 'CHANGELOG.md').read_text(), re.M)
    assert found
    return found[1]


def test_every_package_has_the_version_of_the_changelog():
    """And so has the citation."""
    files = [*ROOT.glob('src/*/setup.py'), *ROOT.glob('src/*/package.xml')]
    pattern = re.compile(r"version='(.*?)'|<version>(.*?)</version>")
    found = {}
    for path in files:
        match = pattern.search(path.read_text(encoding='utf-8'))
        assert match, path
        found[path] = match[1] or match[2]
    assert set(found.values()) == {version()}
    citation = yaml.safe_load((ROOT / 'CITATION.cff').read_text(encoding='utf-8'))
    assert citation['version'] == version()
    assert citation['license'] == 'Apache-2.0'
    assert re.fullmatch(r'\d{4}-\d\d-\d\d', citation['date-released'])


def licences() -> dict[str, str]:
    """The licence of each package, as the page has it."""
    page = (ROOT / 'docs' / 'licences.md').read_text(encoding='utf-8')
    return {
        name: licence
        for names, licence in re.findall(r'^\| (`.*?) \| (.*?) \|', page, re.MULTILINE)
        for name in re.findall(r'`([^`]+)`', names)
    }


def test_the_licence_of_everything_that_is_required_is_told():
    """And of nothing else; where a package states an expression of SPDX, it is that one."""
    required = {
        name
        for path in ROOT.glob('requirements/*.txt')
        if path.stem not in APART and not path.stem.startswith('constraints')
        for name in re.findall(r'^([\w-]+)', path.read_text(encoding='utf-8'), re.MULTILINE)
    }
    told = licences()
    assert required <= {*told}
    assert {*told} - required == {'xacro', 'cmake', 'ninja', 'colcon-common-extensions'}
    for name in required:
        try:
            stated = importlib.metadata.metadata(name).get('License-Expression')
        except importlib.metadata.PackageNotFoundError:
            continue
        assert stated is None or told[name].startswith(stated) or name == 'pin', (name, stated)
