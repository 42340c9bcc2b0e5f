"""The scenes in Klamp't, in the environment of the peers: `_sim_klampt.py OUTPUT.npz`.

Klamp't blends friction harmonically and restitution arithmetically, as softshell does; its bodies
are meshes, and the ball a sphere. Stiffness and damping of contacts are its defaults.
"""

import sys
import time

import numpy as np
from _sim_scenes import GRAVITY, GROUND, PADDING, STEP, Piece, Scene, leaning, scenes
from klampt import GeometricPrimitive, Simulator, TriangleMesh, WorldModel


def box_mesh(size: tuple[float, ...]) -> TriangleMesh:
    """A closed box about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    mesh = TriangleMesh()
    mesh.setVertices(np.ascontiguousarray(corners * np.array(size) / 2.0))
    mesh.setIndices(np.array(faces, dtype=np.int32))
    return mesh


def inertia_of(piece: Piece) -> list[float]:
    """Moments of an even body."""
    if len(piece.size) == 1:
        return [0.4 * piece.mass * piece.size[0] ** 2] * 3
    x, y, z = np.square(piece.size) * piece.mass / 12.0
    return [y + z, x + z, x + y]


def klampt_pose(pose: np.ndarray) -> tuple[list[float], list[float]]:
    """Rotation by columns, and position."""
    return pose[:3, :3].T.ravel().tolist(), pose[:3, 3].tolist()


def built(scene: Scene) -> Simulator:
    """The scene, ready to run."""
    world = WorldModel()
    ground = world.makeTerrain('ground')
    ground.geometry().setTriangleMesh(box_mesh(GROUND))
    down = np.eye(4)
    down[2, 3] = -GROUND[2] / 2.0
    ground.geometry().transform(*klampt_pose(leaning(scene.tilt) @ down))
    for number, piece in enumerate(scene.pieces):
        thing = world.makeRigidObject(f'piece{number}')
        if len(piece.size) == 1:
            ball = GeometricPrimitive()
            ball.setSphere([0.0, 0.0, 0.0], piece.size[0])
            thing.geometry().setGeometricPrimitive(ball)
        else:
            thing.geometry().setTriangleMesh(box_mesh(piece.size))
        mass = thing.getMass()
        mass.setMass(piece.mass)
        mass.setCom([0.0, 0.0, 0.0])
        mass.setInertia(inertia_of(piece))
        thing.setMass(mass)
        thing.setTransform(*klampt_pose(piece.pose))
    simulator = Simulator(world)
    simulator.setGravity([0.0, 0.0, -GRAVITY])
    simulator.setSimStep(STEP)
    for thing, layer in [(ground, 0.0)] + [
        (world.rigidObject(number), PADDING) for number in range(len(scene.pieces))
    ]:
        body = simulator.body(thing)
        surface = body.getSurface()
        surface.kFriction, surface.kRestitution = scene.friction, scene.restitution
        body.setSurface(surface)
        body.setCollisionPadding(layer)
    return simulator


def run(scene: Scene) -> tuple[np.ndarray, float]:
    """(steps, bodies, 15) what the bodies do, and what a step costs [us]."""
    simulator, count = built(scene), len(scene.pieces)
    bodies = [simulator.body(simulator.world.rigidObject(number)) for number in range(count)]
    path, spent = np.empty((round(scene.seconds / STEP), count, 15)), 0.0
    for rows in path:
        begin = time.perf_counter()
        simulator.simulate(STEP)
        spent += time.perf_counter() - begin
        for row, body in zip(rows, bodies, strict=True):
            rotation, position = body.getObjectTransform()
            _, velocity = body.getVelocity()
            row[:] = [*position, *np.reshape(rotation, (3, 3)).T.ravel(), *velocity]
    return path, 1e6 * spent / len(path)


def main() -> int:
    """Write the paths of all scenes, and what a step costs."""
    answer = {}
    for scene in scenes():
        path, cost = run(scene)
        answer[scene.name], answer[f'{scene.name}|us'] = path, np.array(cost)
    np.savez(sys.argv[1], **answer)
    return 0


if __name__ == '__main__':
    sys.exit(main())
