"""A mesh of any format collides in every engine, and one that cannot be read is named."""

import re

import numpy as np
import pytest
import trimesh
from mesh_files import COLLADA, wavefront

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.contact.surfaces import LAYER
from softshell_sim.pictures.visuals import visuals_of
from softshell_sim.urdf.flatten import flatten

#: Lengths of a box and where its middle is [m]; PyBullet adds this to a mesh without layer [m].
SIZE, MIDDLE, MARGIN = np.array([0.2, 0.3, 0.4]), np.array([0.03, -0.02, 0.05]), 1e-3
INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
STONE = (
    '<robot name="stone"><link name="stone"><inertial><mass value="1"/>'
    + INERTIA
    + '</inertial>{}</link></robot>'
)
SHAPE = '<{0}><geometry><mesh filename="{1}" {2}/></geometry></{0}>'


def box():
    made = trimesh.creation.box(SIZE)
    made.apply_translation(MIDDLE)
    return made


def ascii_stl(mesh):
    return trimesh.exchange.stl.export_stl_ascii(mesh).encode()


def polygons(name):
    """A box of four-sided faces as a COLLADA file, in polygons or a list of them."""
    vertices = box().vertices
    faces = []
    for axis in range(3):
        for side in (0, 1):
            face = np.flatnonzero((vertices[:, axis] > MIDDLE[axis]) == side)
            near = vertices[face] - vertices[face].mean(axis=0)
            angle = np.arctan2(near[:, (axis + 2) % 3], near[:, (axis + 1) % 3])
            faces.append(' '.join(map(str, face[np.argsort(angle)])))
    given = '<input semantic="VERTEX" source="#v" offset="0"/>'
    if name == 'polygons':
        inside = given + ''.join(f'<p>{face}</p>' for face in faces)
    else:
        inside = f'{given}<vcount>{"4 " * 6}</vcount><p>{" ".join(faces)}</p>'
    text = COLLADA % ''
    text = re.sub('<triangles.*</triangles>', f'<{name} count="6">{inside}</{name}>', text)
    numbers = ' '.join(map(repr, vertices.ravel().tolist()))
    text = re.sub(
        '(<float_array id="a" count=)"12">[^<]*<', rf'\g<1>"{vertices.size}">{numbers}<', text
    )
    return text.replace('source="#a" count="4"', f'source="#a" count="{len(vertices)}"').encode()


def used_by_name():
    """A box in a COLLADA file whose scene names a node of a library."""
    text = polygons('polylist').decode()
    node = re.search('<node id="n">.*?</node>', text, re.DOTALL)[0]
    library = f'<library_nodes>{node}</library_nodes><library_visual_scenes>'
    text = text.replace(node, '<node id="top"><instance_node url="#n"/></node>')
    return text.replace('<library_visual_scenes>', library).encode()


FILES = {
    'binary.stl': lambda: trimesh.exchange.stl.export_stl(box()),
    'ascii.STL': lambda: ascii_stl(box()),
    'box.obj': lambda: box().export(file_type='obj').encode(),
    'polylist.dae': lambda: polygons('polylist'),
    'polygons.dae': lambda: polygons('polygons'),
    'library.dae': used_by_name,
    'box.ply': lambda: box().export(file_type='ply'),
    'box.glb': lambda: box().export(file_type='glb'),
}


@pytest.mark.parametrize('name', FILES)
@pytest.mark.parametrize('padding', [0.0, LAYER])
def test_a_box_is_where_its_file_puts_it(start, tmp_path, name, padding):
    """Whatever the format: rays meet its six sides, and its layer begins above the floor."""
    (tmp_path / name).write_bytes(FILES[name]())
    bench = start(gravity=0.0)
    text = STONE.format(SHAPE.format('collision', tmp_path / name, ''))
    body = bench.engine.load(RobotSpec('stone', text, (), padding=padding))
    outside = max(padding, MARGIN)
    for axis in range(3):
        for sign in (-1.0, 1.0):
            far = MIDDLE.copy()
            far[axis] += sign
            hit = bench.engine.ray(far, MIDDLE)
            assert hit is not None
            reach = sign * (hit.point[axis] - MIDDLE[axis]) - SIZE[axis] / 2.0
            assert -1e-5 < reach < outside + 1e-5
    floor = bench.floor()
    bench.engine.place(body, BodyState.at_rest(shift(z=0.5 + SIZE[2] / 2.0 - MIDDLE[2])))
    (gap,) = bench.engine.gaps(body, floor, 1.0)
    if padding:
        assert gap.distance == pytest.approx(0.5 - padding, abs=1e-5)
    else:
        assert 0.5 - MARGIN - 1e-5 < gap.distance < 0.5 + 1e-5


@pytest.mark.needs('pybullet')
@pytest.mark.parametrize('start', ['pybullet'], indirect=True)
@pytest.mark.parametrize('padding', [0.0, LAYER])
@pytest.mark.parametrize(('name', 'is_one'), [('two.glb', True), ('two.obj', False)])
def test_pybullet_has_one_hull_for_a_file_and_several_for_an_obj(
    start, tmp_path, padding, name, is_one
):
    """A ray between two boxes of a file hits their common hull, or nothing."""
    (tmp_path / 'two.obj').write_text(wavefront(0.0, 50.0))
    trimesh.load_scene(tmp_path / 'two.obj', split_objects=True).export(tmp_path / 'two.glb')
    bench = start(gravity=0.0)
    mesh = SHAPE.format('collision', tmp_path / name, 'scale="0.01 0.01 0.01"')
    bench.engine.load(RobotSpec('stone', STONE.format(mesh), (), padding=padding))
    hit = bench.engine.ray(np.array([0.3, 0.03, 5.0]), np.array([0.3, 0.03, -5.0]))
    assert (hit is not None) == is_one


BROKEN = {
    'none.stl': lambda: None,
    'empty.stl': lambda: b'',
    'junk.stl': lambda: b'not a mesh at all',
    'cut.stl': lambda: FILES['binary.stl']()[:300],
    'cut.ply': lambda: FILES['box.ply']()[:200],
    'none.obj': lambda: None,
    'empty.obj': lambda: b'',
    'points.obj': lambda: b'v 0 0 0\nv 1 0 0\nv 0 1 0\n',
    'corner.obj': lambda: b'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\n',
    'broken.dae': lambda: b'<COLLADA>',
    'empty.dae': lambda: re.sub(b'<triangles.*</triangles>', b'', (COLLADA % '').encode()),
    'strange.abc': lambda: b'abc',
}


@pytest.mark.parametrize('name', BROKEN)
def test_a_mesh_that_cannot_be_read_is_refused(start, tmp_path, name):
    """With or without a layer, to collide, to be seen or to be drawn: link and file are named."""
    content = BROKEN[name]()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    engine = start().engine
    for kind, padding in (('collision', 0.0), ('collision', LAYER), ('visual', 0.0)):
        text = STONE.format(SHAPE.format(kind, tmp_path / name, ''))
        expected = rf"^link 'stone', <{kind}>: mesh .*{name} (cannot be read: .|has no triangles)"
        with pytest.raises(SoftshellError, match=expected):
            engine.load(RobotSpec('stone', text, (), padding=padding))
    assert engine.bodies == {}
    with pytest.raises(SoftshellError, match=expected):
        visuals_of(text)


def test_the_link_that_has_the_mesh_is_named(start, tmp_path):
    """Not the one that it is fixed to."""
    eye = f'<link name="eye">{SHAPE.format("collision", tmp_path / "none.stl", "")}</link>'
    joint = '<joint name="j" type="fixed"><parent link="stone"/><child link="eye"/></joint>'
    text = flatten(STONE.format('').replace('</robot>', f'{eye}{joint}</robot>')).text
    with pytest.raises(SoftshellError, match=r"^link 'eye', <collision>: mesh .*none\.stl cannot"):
        start().engine.load(RobotSpec('stone', text, ()))


@pytest.mark.parametrize('padding', [0.0, LAYER])
def test_what_is_only_seen_does_not_touch(start, tmp_path, padding):
    """Also where it has to be written anew."""
    (tmp_path / 'ascii.stl').write_bytes(ascii_stl(box()))
    bench = start(gravity=0.0)
    text = STONE.format(SHAPE.format('visual', tmp_path / 'ascii.stl', ''))
    body, floor = bench.engine.load(RobotSpec('stone', text, (), padding=padding)), bench.floor()
    assert bench.engine.gaps(body, floor, 1.0) == []


FLAT = {
    'triangle.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
    'square.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n',
    'line.obj': 'v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n',
    'object.obj': wavefront(0.0) + '\no flat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 5 6 7\n',
}


@pytest.mark.parametrize('name', FLAT)
def test_a_flat_mesh_falls_to_the_floor_or_is_refused_at_once(start, tmp_path, name):
    """Where it is accepted the world goes on, with all its bodies."""
    (tmp_path / name).write_text(FLAT[name])
    bench = start()
    floor = bench.floor()
    text = STONE.format(SHAPE.format('collision', tmp_path / name, ''))
    spec, refused = RobotSpec('stone', text, ()), ''
    try:
        bench.engine.load(spec)
    except SoftshellError as error:
        refused = str(error)
    if refused:
        assert re.match(rf"link 'stone', <collision>: mesh .*{name} is flat", refused)
        assert [*bench.engine.bodies.values()] == [floor]
        bench.engine.step()
        return
    stone = bench.engine.bodies['stone']
    bench.engine.place(stone, BodyState.at_rest(shift(z=0.01)))
    bench.run(0.3)
    assert bench.state(stone).position[2] == pytest.approx(0.0, abs=2.0 * MARGIN)


@pytest.mark.parametrize('name', FLAT)
def test_a_flat_mesh_may_be_seen(start, tmp_path, name):
    """In any engine; the body falls freely: s = g t²/2."""
    (tmp_path / name).write_text(FLAT[name])
    bench = start()
    bench.floor()
    text = STONE.format(SHAPE.format('visual', tmp_path / name, ''))
    stone = bench.engine.load(RobotSpec('stone', text, ()))
    bench.run(0.1)
    assert bench.state(stone).position[2] == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=0.02)


@pytest.mark.parametrize('thickness', [1e-6, 1e-4])
def test_a_thin_mesh_is_not_flat(start, tmp_path, thickness):
    """A plate of 1 µm is a body in every engine, and lies on the floor."""
    trimesh.creation.box((0.3, 0.2, thickness)).export(tmp_path / 'plate.stl')
    bench = start()
    bench.floor()
    text = STONE.format(SHAPE.format('collision', tmp_path / 'plate.stl', ''))
    plate = bench.engine.load(RobotSpec('stone', text, ()))
    bench.engine.place(plate, BodyState.at_rest(shift(z=0.003)))
    bench.run(0.2)
    assert bench.state(plate).position[2] == pytest.approx(0.0, abs=1.1 * MARGIN)


@pytest.mark.needs('pybullet')
@pytest.mark.parametrize(
    ('name', 'content'),
    [
        ('binary.stl', FILES['binary.stl']()),
        ('box.obj', FILES['box.obj']()),
        ('parts.OBJ', wavefront(0.0, 50.0).encode()),
        ('back.obj', b'# \xe9\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nvn 0 0 1\nf -3//1 -2//1 -1//1'),
        ('before.obj', b'f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n'),
        ('corner.dae', (COLLADA % '').encode()),
    ],
)
def test_what_pybullet_can_read_is_left_to_it(tmp_path, name, content):
    """So that a robot moves as it does with PyBullet alone."""
    from softshell_sim.pybullet.meshes import readable_meshes

    (tmp_path / name).write_bytes(content)
    text = STONE.format(SHAPE.format('collision', tmp_path / name, 'scale="0.1"'))
    assert readable_meshes(text, tmp_path / 'nowhere') == text
