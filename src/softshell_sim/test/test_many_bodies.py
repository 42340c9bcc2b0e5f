"""Many bodies that come at once: what is done once for all of them."""

import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.changing.changes import Remove, SetSurface, Spawn
from softshell_sim.mujoco import bodies as mujoco_bodies
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.scene import Scene
from softshell_sim.shapes import Box, Plane

COUNT = 30


def boxes():
    """A floor, and boxes on it of a surface each, every other placed by a state."""
    spawns = [Spawn(ObjectSpec('floor', Plane(), surface=Surface(0.3)))]
    for k in range(COUNT):
        pose, surface = shift(0.3 * k, z=0.05), Surface(0.2 + 0.02 * k)
        spec = ObjectSpec(f'box {k}', Box((0.1, 0.1, 0.1)), 1.0, pose, surface)
        if k % 2:
            spec = ObjectSpec(spec.name, spec.shape, spec.mass, np.eye(4), surface)
        spawns.append(Spawn(spec, BodyState.at_rest(pose) if k % 2 else None))
    return spawns


def test_mujoco_makes_one_model_of_them(monkeypatch):
    """A batch makes models of single bodies alone, and the first step after it one of all."""
    made, build = [], mujoco_bodies.build
    monkeypatch.setattr(
        mujoco_bodies, 'build', lambda all_, *how: made.append(len(all_)) or build(all_, *how)
    )
    engine = make_engine('mujoco', EngineSettings(0.001, 9.81, window=False))
    scene = Scene(engine, {})
    scene.apply(boxes())
    assert max(made) == 1
    scene.step()
    assert [count for count in made if count > 1] == [COUNT + 1]
    engine.close()


def test_surfaces_come_into_force_once(start, monkeypatch):
    """A batch asks the engine for all surfaces at most once, and contacts have them then."""
    engine = start().engine
    scene, asked, apply = Scene(engine, {}), [], engine._apply_surfaces
    monkeypatch.setattr(
        engine, '_apply_surfaces', lambda *changed: asked.append(changed) or apply(*changed)
    )
    scene.apply([*boxes(), SetSurface('box 0', Surface(0.9)), Remove('box 1')])
    assert len(asked) == 1
    for _ in range(20):
        scene.step()
    (found,) = {round(each.friction, 9) for each in engine.contacts(engine.body('box 0'))}
    wanted = 2.0 * 0.3 * 0.9 / 1.2
    assert abs(found - wanted) <= engine.surface_residual.friction + 1e-6


def test_each_is_where_it_was_put(start):
    """Bodies of one batch, placed or with a pose of their own, lie where they were put."""
    bench = start()
    scene = Scene(bench.engine, {})
    scene.apply(boxes())
    for moment in range(2):
        for k in range(COUNT):
            position = scene.state(f'box {k}').position
            assert position == pytest.approx([0.3 * k, 0.0, 0.05], abs=1e-4 * moment + 1e-6)
        bench.run(0.2)
