"""A checkout whose path is not ASCII has its interfaces built elsewhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from softshell_tools import shelter
from softshell_tools.build import build_environment, quote_interpreter
from softshell_tools.installation import ROOT
from softshell_tools.workspace import Workspace


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout with what the build of interfaces needs, in a path with umlauts and spaces."""
    root: Path = tmp_path / 'für dich'
    for name in (*shelter.COPIED, 'requirements'):
        source = ROOT / name
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    return root


def test_only_paths_that_are_not_ascii_need_it():
    """Spaces do not."""
    assert shelter.is_needed('/home/jürgen/softshell')
    assert not shelter.is_needed('/home/me/soft shell')


def test_a_shelter_leads_back_and_leaves_nothing(checkout):
    """It has copies, and a link to the checkout; everything of it is gone afterwards."""
    with shelter.shelter(checkout) as folder:
        assert str(folder).isascii()
        assert (folder / 'src/softshell_interfaces/package.xml').is_file()
        assert (folder / 'root').resolve() == checkout.resolve()
        workspace = Workspace(checkout)
        given = {'PATH': f'{checkout}/.venv/bin:/usr/bin', 'HOME': '/home/me'}
        command, environment = shelter.interface_build(workspace, folder, [], given)
        assert environment == {'PATH': f'{folder}/root/.venv/bin:/usr/bin', 'HOME': '/home/me'}
        assert all(str(word).isascii() for word in command)
    assert not folder.exists()
    assert checkout.exists()


def test_where_nothing_is_ascii_that_is_said(checkout, tmp_path, monkeypatch):
    """And nothing is left there."""
    temporary = tmp_path / 'weiß'
    temporary.mkdir()
    monkeypatch.setattr(shelter.tempfile, 'tempdir', str(temporary))
    with pytest.raises(SystemExit, match='set TMPDIR'), shelter.shelter(checkout):
        pass
    assert [*temporary.iterdir()] == []


@pytest.mark.long
def test_interfaces_are_built_and_work(checkout):
    """They are installed into the checkout, and messages can be made there by its Python."""
    pytest.importorskip('colcon_core', reason='colcon is installed apart from this Python')
    (checkout / '.venv').symlink_to(sys.prefix)
    workspace = Workspace(checkout)
    workspace.build_folder.mkdir()
    names = Workspace(ROOT).fallback_packages()
    with shelter.shelter(checkout) as folder:
        command, environment = shelter.interface_build(
            workspace, folder, names, build_environment(workspace)
        )
        done = subprocess.run(
            [*map(str, command)], env=environment, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stdout + done.stderr
    program = 'from softshell_interfaces.msg import ReasonCode; print(ReasonCode())'
    script = f'source "{checkout}/install/setup.bash" && "{sys.executable}" -c "{program}"'
    quote_interpreter(workspace.install_folder)
    variables = {**os.environ, 'PATH': f'{checkout}/.venv/bin:{os.environ["PATH"]}'}
    subprocess.run(['bash', '-c', script], env=variables, check=True, cwd='/')
