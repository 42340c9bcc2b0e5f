"""The container's files fit each other and the repository; nothing here runs a container."""

import re
from pathlib import Path

import pytest
import yaml

from softshell_tools.build import compilations
from softshell_tools.workspace import Workspace

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


def steps_of(stage: str) -> str:
    """The part of the file that makes a stage, without comments."""
    (part,) = re.findall(rf'^FROM \S+ AS {stage}\n(.*?)(?=^FROM|\Z)', DOCKERFILE, re.S | re.M)
    return re.sub(r'^#.*\n', '', part, flags=re.MULTILINE)


def user_of(stage: str) -> str:
    """Whom the last step of a stage makes its user."""
    return re.findall(r'^USER (\w+)$', steps_of(stage), re.MULTILINE)[-1]


@pytest.mark.parametrize('image', ['run', 'develop'])
def test_nothing_runs_as_root(image):
    """The last user of each image is another, who may open serial ports."""
    assert user_of(image) != 'root'
    assert f'--groups dialout {user_of(image)}' in steps_of(image)


def test_a_checkout_that_is_closed_to_others_is_open_in_the_image():
    """A umask of 077 or 027 leaves no right to the image's user, who is another than the owner."""
    copied, opened, built = map(steps_of('build').find, (
        'COPY . /opt/softshell/workspace\n', 'RUN chmod -R a+rX /opt/softshell/workspace\n',
        '-m colcon build',
    ))  # fmt: skip
    assert 0 <= copied < opened < built
    steps = steps_of('run')
    assert 0 <= steps.find('chmod 755 /opt/softshell/entrypoint.sh ') < steps.find('USER ')


def test_whoever_develops_has_the_numbers_of_the_checkouts_owner():
    """They are arguments of the build, which compose passes on, 1000 by default; the image's own
    user with that number is removed before."""
    steps, service = steps_of('develop'), COMPOSE['services']['develop']
    made = re.search(rf'useradd (.*) {user_of("develop")}$', steps, re.MULTILINE)
    assert made
    removed = steps.find('userdel --remove ubuntu')
    assert 0 <= removed < steps.find('groupadd --non-unique --gid "$GROUP_ID"') < made.start()
    assert '--uid "$USER_ID" --gid "$GROUP_ID"' in made[1]
    assert '--non-unique' in made[1]  # root may own the checkout, whose number is root's already
    assert dict(re.findall(r'^ARG (\w+)=(\w+)$', steps, re.MULTILINE)) == {
        'USER_ID': '1000', 'GROUP_ID': '1000',
    }  # fmt: skip
    assert service['build']['args'] == {
        name: f'${{{name}:-1000}}' for name in ('USER_ID', 'GROUP_ID')
    }


def test_what_is_compiled_ahead_is_in_the_image_where_its_user_finds_it():
    """All that a set-up compiles ahead is compiled by the user of the image, with the interpreter
    of the nodes, into a folder of that user's, which numba uses in every container as well.

    That a bridge then compiles nothing more: test_sim_warm_up.py.
    """
    steps = steps_of('run')
    folder = re.search(r'^ENV NUMBA_CACHE_DIR=(\S+)$', steps, re.MULTILINE)
    compiling = re.search(r'^RUN for package in (.*?); do (.*?)done$', steps, re.S | re.M)
    assert folder
    assert compiling
    assert f'install --directory --owner {user_of("run")} {folder[1]}\n' in steps
    assert steps.find('/opt/softshell/install\n') < steps.find(f'USER {user_of("run")}\n')
    assert steps.find(f'USER {user_of("run")}\n') < folder.start() < compiling.start()
    ahead = {command[-1] for command, _ in compilations(Workspace(ROOT)).values()}
    assert {f'{package}.warm_up' for package in compiling[1].split()} == ahead
    interpreter = '/opt/softshell/venv/bin/python'
    assert (
        f'/opt/softshell/entrypoint.sh {interpreter} -m $package.warm_up || exit' in compiling[2]
    )
    assert f'{interpreter} -m colcon build' in steps_of('build')


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
