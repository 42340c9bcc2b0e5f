"""The five scenes on our engines, and beside them in Klamp't."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from _sim_scenes import (
    END,
    GRAVITY,
    GROUND,
    PADDING,
    STEP,
    Piece,
    Scene,
    figure,
    jitter,
    leaning,
    overlaps,
    scenes,
)
from rich.table import Table

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import rotation_from_quaternion, shift
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box, Sphere

#: What a run gives: (steps, bodies, 15) as `_sim_scenes.py` says, and the cost of a step [us].
Run = tuple[Array, float]


def specification(number: int, piece: Piece, surface: Surface) -> ObjectSpec:
    """A body of ours."""
    shape = Sphere(piece.size[0]) if len(piece.size) == 1 else Box(piece.size)
    return ObjectSpec(f'piece{number}', shape, piece.mass, piece.pose, surface, PADDING)


def run(engine_name: str, scene: Scene) -> Run:
    """What the bodies do on an engine of ours."""
    engine = make_engine(engine_name, EngineSettings(STEP, GRAVITY, window=False))
    surface = Surface(scene.friction, scene.restitution)
    under = leaning(scene.tilt) @ shift(z=-GROUND[2] / 2.0)
    engine.add(ObjectSpec('ground', Box(GROUND), 0.0, under, surface))
    bodies = [
        engine.add(specification(number, piece, surface))
        for number, piece in enumerate(scene.pieces)
    ]
    path, spent = np.empty((round(scene.seconds / STEP), len(bodies), 15)), 0.0
    state = BodyState()
    for rows in path:
        begin = time.perf_counter()
        engine.step()
        spent += time.perf_counter() - begin
        for row, body in zip(rows, bodies, strict=True):
            engine.read(body, state)
            turn = rotation_from_quaternion(state.orientation).ravel()
            row[:] = [*state.position, *turn, *state.linear_velocity]
    engine.close()
    return path, 1e6 * spent / len(path)


def run_klampt(python: Path, folder: Path) -> dict[str, Run] | str:
    """What the bodies do in Klamp't, by scene; or why it did not run.

    Args:
        python: interpreter that may have it.
        folder: for a file in between.
    """
    environment = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'VIRTUAL_ENV')}
    trial = subprocess.run([python, '-c', 'import klampt'], env=environment, capture_output=True)
    if trial.returncode:
        version = f'{sys.version_info.major}.{sys.version_info.minor}'
        return f"Klamp't is left out: it has no wheel for Python {version} on this machine"
    folder.mkdir(parents=True, exist_ok=True)
    answer, script = folder / 'sim_answers.npz', Path(__file__).with_name('_sim_klampt.py')
    subprocess.run([python, script, answer], check=True, env=environment, capture_output=True)
    with np.load(answer) as data:
        found = {
            scene.name: (data[scene.name], float(data[f'{scene.name}|us'])) for scene in scenes()
        }
    answer.unlink()
    return found


def table(found: Mapping[str, Mapping[str, Run]]) -> Table:
    """What is judged of each scene, by simulator.

    Args:
        found: by simulator, by scene.
    """
    last = round(END / STEP)
    heads = ('jitter', 'layers overlap at the end', 'at most', 'step', 'and')
    shown = Table('', '', *heads, title='five scenes, layers of 2.5 mm, steps of 1 ms')
    for scene in scenes():
        for name, runs in found.items():
            path, cost = runs[scene.name]
            depth = overlaps(scene, path)
            still = f'{1e3 * jitter(path):.3f} mm/s' if scene.rests else ''
            end = f'{1e6 * depth[-last:].max():.0f} µm' if scene.rests else ''
            label = scene.name if name == next(iter(found)) else ''
            shown.add_row(
                label, name, still, end, f'{1e6 * depth.max():.0f} µm', f'{cost:.0f} µs',
                figure(scene, path),
            )  # fmt: skip
    return shown
