"""Mesh files of a corner of a box, as text."""

import numpy as np

#: A corner of a box: legs of 10, 20 and 30 along the file's own axes.
CORNERS = '0 0 0 10 0 0 0 20 0 0 0 30'
FACES = '0 2 1 0 1 3 0 3 2 1 2 3'
COLLADA = f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>%s</asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="a" count="12">{CORNERS}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{FACES}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def wavefront(*offsets):
    """An OBJ file with an object at each place along x."""
    corners = np.array(CORNERS.split(), dtype=float).reshape(-1, 3)
    faces, lines = np.array(FACES.split(), dtype=int).reshape(-1, 3) + 1, []
    for k, offset in enumerate(offsets):
        lines.append(f'o part{k}')
        lines += ['v {} {} {}'.format(*(corner + [offset, 0, 0])) for corner in corners]
        lines += ['f {} {} {}'.format(*(face + 4 * k)) for face in faces]
    return '\n'.join(lines)
