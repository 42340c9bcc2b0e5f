"""What a body of a world looks like, as triangles in its root link."""

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.bodies import ObjectSpec, RobotSpec
from softshell_sim.pictures.meshes import Mesh
from softshell_sim.pictures.scene_visuals import STONE, WOOD, meshes_of_shape
from softshell_sim.pictures.visuals import visuals_of
from softshell_sim.shapes import parts_of
from softshell_sim.urdf.parsed import parsed
from softshell_sim.urdf.tree import link_poses

#: Most samples of a height field that are shown along each axis.
MOST_SAMPLES = 120


def looks_of(spec: ObjectSpec | RobotSpec, positions: Array) -> list[tuple[Mesh, Array]]:
    """What a body looks like: meshes in its root link, and the (3,) colour of each, 0 to 1.

    Args:
        spec: of the body; a plane is endless and gives no mesh.
        positions: (joints,) of its joints, in their order [rad] or [m].

    Raises:
        SoftshellError: a joint is not at a finite position, or a mesh cannot be read.
    """
    if isinstance(spec, ObjectSpec):
        colour = np.array(STONE if spec.mass == 0.0 else WOOD)
        return [
            (_moved(mesh, pose), colour)
            for pose, part in parts_of(spec.shape)
            for mesh in meshes_of_shape(part, MOST_SAMPLES)
        ]
    poses = link_poses(parsed(spec.urdf), dict(zip(spec.joints, positions.tolist(), strict=True)))
    found = []
    for link, look in visuals_of(spec.urdf).items():
        for colour in np.unique(look.colours, axis=0):
            corners = look.corners[(look.colours == colour).all(axis=1)].reshape(-1, 3)
            faces = np.arange(len(corners), dtype=np.int64).reshape(-1, 3)
            found.append((_moved(Mesh(corners, faces), poses[link]), colour))
    return found


def _moved(mesh: Mesh, pose: Array) -> Mesh:
    return Mesh(mesh.vertices @ pose[:3, :3].T + pose[:3, 3], mesh.faces)
