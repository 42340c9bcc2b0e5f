"""The engines there are, by name. An engine is imported when it is first used."""

from collections.abc import Callable

from softshell_kinematics.errors import UnknownNameError
from softshell_sim.engine import Engine, EngineSettings


def _pybullet(settings: EngineSettings) -> Engine:
    from softshell_sim.pybullet_engine import PyBulletEngine

    return PyBulletEngine(settings)


ENGINES: dict[str, Callable[[EngineSettings], Engine]] = {'pybullet': _pybullet}


def make_engine(name: str, settings: EngineSettings) -> Engine:
    """Start an engine.

    Raises:
        UnknownNameError: there is no such engine.
        SoftshellError: it does not start.
    """
    if name not in ENGINES:
        raise UnknownNameError('engine', name, ENGINES)
    return ENGINES[name](settings)
