"""The engines there are, by name. An engine is imported when it is first used."""

import os
from collections.abc import Callable
from importlib.util import find_spec

from softshell_description.model import RobotModel
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_sim.engine import Engine
from softshell_sim.engine_settings import EngineSettings


def _pybullet(settings: EngineSettings) -> Engine:
    from softshell_sim.pybullet.engine import PyBulletEngine

    return PyBulletEngine(settings)


def _mujoco(settings: EngineSettings) -> Engine:
    try:
        from softshell_sim.mujoco.engine import MujocoEngine
    except (AttributeError, ImportError, RuntimeError) as error:
        # It loads the graphics that this variable names, though nothing here needs any.
        given = os.environ.get('MUJOCO_GL')
        raise SoftshellError(
            f'engine mujoco cannot be imported: {error}; the environment variable MUJOCO_GL is '
            f'{given!r}, expected it unset'
        ) from error

    return MujocoEngine(settings)


ENGINES: dict[str, Callable[[EngineSettings], Engine]] = {
    'pybullet': _pybullet,
    'mujoco': _mujoco,
}


def default_engine() -> str:
    """PyBullet where it is installed, which is wherever it has a wheel; else MuJoCo."""
    return 'pybullet' if find_spec('pybullet') else 'mujoco'


def engine_of(robot: RobotModel) -> str:
    """The engine that simulates a robot where nobody asks for another.

    Raises:
        UnknownNameError: that which its `robot.yaml` names is none.
    """
    if robot.engine and robot.engine not in ENGINES:
        raise UnknownNameError(f'engine of {robot.name}', robot.engine, ENGINES)
    return robot.engine or default_engine()


def make_engine(name: str, settings: EngineSettings) -> Engine:
    """Start an engine.

    Raises:
        UnknownNameError: there is no such engine.
        SoftshellError: it does not start.
    """
    if name not in ENGINES:
        raise UnknownNameError('engine', name, ENGINES)
    if name == 'pybullet' and default_engine() != 'pybullet':
        raise SoftshellError(
            'engine pybullet is not installed here; expected ./softshell setup pybullet before, '
            'or engine:=mujoco'
        )
    return ENGINES[name](settings)
