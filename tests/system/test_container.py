"""The container's files fit each other and the repository; nothing here runs a container."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / 'docker' / 'Dockerfile').read_text(encoding='utf-8')
COMPOSE = yaml.safe_load((ROOT / 'docker' / 'compose.yaml').read_text(encoding='utf-8'))


def stages() -> dict[str, str]:
    """Each stage, and what it is made from."""
    return {name: base for base, name in re.findall(r'^FROM (\S+) AS (\S+)$', DOCKERFILE, re.M)}


def test_every_stage_is_made_from_one_before_it_and_is_used():
    """Stages are in order; what no other is made from or copies from is an image."""
    known = stages()
    names = [*known]
    used = set()
    for place, (name, base) in enumerate(known.items()):
        assert base == 'ros:jazzy' or base in names[:place], name
        used.add(base)
    used |= {*re.findall(r'COPY --from=(\w+)', DOCKERFILE)}
    assert used - {'ros:jazzy'} <= {*names}
    assert {*names} - used == {'run', 'develop'}


def test_services_are_images_of_the_file():
    """Each builds a stage; servos have a device, and a checkout that is developed is mounted."""
    services = COMPOSE['services']
    assert {service['build']['target'] for service in services.values()} == {'run', 'develop'}
    for service in services.values():
        assert (ROOT / service['build']['dockerfile']).is_file()
    assert 'profiles' not in services['stack']
    assert services['hardware']['devices'] == ['${SERVO_PORT:-/dev/ttyUSB0}']
    assert services['develop']['volumes'] == ['..:/workspace']


def test_nothing_runs_as_root():
    """The last user of each image is another."""
    parts = re.split(r'^FROM \S+ AS ', DOCKERFILE, flags=re.MULTILINE)
    images = {part.split()[0]: part for part in parts}
    for name in ('run', 'develop'):
        users = re.findall(r'^USER (\w+)$', images[name], re.MULTILINE)
        assert users, name
        assert users[-1] != 'root'
        assert f'--groups dialout {users[-1]}' in images[name]


def test_what_is_copied_is_there():
    """Files of the repository, and sets of requirements, by the names that they have."""
    for source in re.findall(r'^COPY (?!--from)(\S+) ', DOCKERFILE, re.MULTILINE):
        assert (ROOT / source).exists(), source
    for name in re.findall(r'/tmp/requirements/([\w.-]+)', DOCKERFILE):
        assert (ROOT / 'requirements' / name).is_file(), name


def test_what_is_left_out_of_rosdep_comes_from_pip():
    """Of each key that is skipped a package of core.txt takes the place, but of PyBullet."""
    (skipped,) = re.findall(r'FROM_PIP="(.*?)"', DOCKERFILE)
    core = (ROOT / 'requirements' / 'core.txt').read_text(encoding='utf-8')
    for key in skipped.split():
        name = key.removeprefix('python3-').removesuffix('-pip')
        assert name == 'pybullet' or re.search(rf'^{name}\b', core, re.MULTILINE), key
