"""What a release says of itself: version and citation."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def release() -> tuple[str, str]:
    """Version and date of the newest release in the changelog."""
    text = (ROOT / 'CHANGELOG.md').read_text(encoding='utf-8')
    found = re.search(r'^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$', text, re.M)
    assert found
    return found[1], found[2]


def test_every_package_has_the_version_of_the_changelog():
    """And so has the citation, with its date."""
    files = [*ROOT.glob('src/*/setup.py'), *ROOT.glob('src/*/package.xml')]
    pattern = re.compile(r"version='(.*?)'|<version>(.*?)</version>")
    found = {}
    for path in files:
        match = pattern.search(path.read_text(encoding='utf-8'))
        assert match, path
        found[path] = match[1] or match[2]
    version, date = release()
    assert set(found.values()) == {version}
    citation = yaml.safe_load((ROOT / 'CITATION.cff').read_text(encoding='utf-8'))
    assert citation['version'] == version
    assert citation['license'] == 'Apache-2.0'
    assert citation['date-released'] == date
