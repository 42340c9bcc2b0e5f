"""What an engine cannot give to pairs of bodies is told to who uses the bridge."""

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changing.changes import Remove, Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box
from softshell_sim.sim_backend import SimBackend


def test_surfaces_that_an_engine_misses_are_told(robot, each_engine):
    """Differences above 0.01 are a warning and in the diagnostics; smaller ones are not."""
    backend = SimBackend(robot, 0.004, WorldSettings())
    assert list(backend.warnings()) == []
    assert 'surfaces of pairs are off' not in backend.diagnostics()
    boxes = [
        Spawn(ObjectSpec(f'box{mu}', Box((0.1, 0.1, 0.1)), 1.0, shift(k, 5.0, 0.1), Surface(mu)))
        for k, mu in enumerate((0.2, 0.6, 1.0, 2.0))
    ]
    backend.change(boxes)
    missed = backend.world.engine.surface_residual.friction
    assert (missed > 0.01) == (each_engine == 'pybullet')
    told = [reason.text for reason in backend.warnings()]
    said = backend.diagnostics().get('surfaces of pairs are off', '')
    expected = f'friction by {missed:.2g}' if missed else ''
    assert said.split(', ')[0] == expected
    assert [expected in text for text in told] == ([True] if missed else [])
    backend.change([Remove(each.spec.name) for each in boxes[1:]])
    assert list(backend.warnings()) == []
    backend.close()
