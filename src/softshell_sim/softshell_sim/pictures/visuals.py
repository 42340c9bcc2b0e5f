"""What a robot looks like: coloured triangles with normals on each link."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_sim.pictures.meshes import Mesh, meshes_of
from softshell_sim.pictures.rasteriser import smooth_normals
from softshell_sim.urdf.shapes import colour_of, label_of, origin_pose

#: Colour of shapes that have none.
PLAIN = (0.75, 0.75, 0.75)
#: Cosine of 40 deg: faces that meet at a larger angle have a sharp edge between them.
CREASE = 0.766


@dataclass(frozen=True, eq=False)
class Triangles:
    """Triangles of a link, in its frame.

    Args:
        corners: (triangles, 3, 3) [m].
        normals: (triangles, 3, 3) unit vectors at the corners.
        colours: (triangles, 3) red, green and blue, 0 to 1.
    """

    corners: Array
    normals: Array
    colours: Array

    def at(self, pose: Array) -> 'Triangles':
        """These triangles, moved by a (4, 4) pose."""
        turn = pose[:3, :3].T
        return Triangles(self.corners @ turn + pose[:3, 3], self.normals @ turn, self.colours)


#: No triangle.
NOTHING = Triangles(np.empty((0, 3, 3)), np.empty((0, 3, 3)), np.empty((0, 3)))


def joined(parts: list[Triangles]) -> Triangles:
    """All triangles of several parts."""
    if not parts:
        return NOTHING
    return Triangles(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )


def visuals_of(text: str) -> dict[str, Triangles]:
    """What each link of a URDF looks like; a link without visual shape shows its collision shapes.

    Args:
        text: the URDF, its meshes named by paths.

    Raises:
        SoftshellError: a mesh cannot be read; the text names its link and file.
    """
    robot = ElementTree.fromstring(text)
    known = {
        str(material.get('name')): given.get('rgba', '')
        for material in robot.iter('material')
        if (given := material.find('color')) is not None
    }
    read: dict[str, list[Triangles]] = {}
    found = {}
    for link in robot.findall('link'):
        parts = []
        for element in link.findall('visual') or link.findall('collision'):
            colour = _colour_of(element, known)
            for kind in element.findall('geometry/*'):
                key = ElementTree.tostring(kind, encoding='unicode').strip()
                if key not in read:
                    label = label_of(str(link.get('name')), element)
                    read[key] = [triangles_of(mesh) for mesh in meshes_of(kind, label)]
                parts += [_painted(part.at(origin_pose(element)), colour) for part in read[key]]
        found[str(link.get('name'))] = joined(parts)
    return found


def _colour_of(element: ElementTree.Element, known: dict[str, str]) -> list[float] | None:
    """Red, green and blue of a shape, 0 to 1; None: it has no colour.

    Args:
        element: the shape.
        known: colours of the URDF's materials, by name.

    Raises:
        SoftshellError: it is no colour.
    """
    material = element.find('material')
    if material is None:
        return None
    own = material.find('color')
    words = own.get('rgba', '') if own is not None else known.get(str(material.get('name')), '')
    return colour_of(words)[:3] if words else None


def _painted(part: Triangles, colour: list[float] | None) -> Triangles:
    if colour is None:
        return part
    return Triangles(part.corners, part.normals, np.tile(colour, (len(part.corners), 1)))


def triangles_of(mesh: Mesh) -> Triangles:
    """A mesh with a normal at each corner: across sharp edges they differ, elsewhere not."""
    corners = mesh.vertices[mesh.faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # Vertices at the same place count as one, even if the file lists them separately.
    _, places = np.unique(mesh.vertices.round(7), axis=0, return_inverse=True)
    faces = places.reshape(-1)[mesh.faces]
    order = np.argsort(faces.reshape(-1), kind='stable')
    start = np.concatenate([[0], np.cumsum(np.bincount(faces.reshape(-1)))])
    normals = smooth_normals(faces, start, order // 3, flat, CREASE)
    colours = np.tile(PLAIN, (len(faces), 1)) if mesh.colours is None else mesh.colours
    return Triangles(corners, normals, colours)
