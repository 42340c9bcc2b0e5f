"""The text of a URDF: its encoding, a xacro that is not expanded, and what may be left out."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from softshell_kinematics import SoftshellError, parse_urdf, read_urdf
from softshell_kinematics.examples import ARM7
from softshell_kinematics.model.urdf_reader import plain_xml, xml_text

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="2"/>'
#: One joint.
DOOR = f"""
<robot name="door">
  <link name="frame"/> <link name="leaf"/>
  <joint name="hinge" type="revolute"><parent link="frame"/><child link="leaf"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/>{LIMIT}</joint>
</robot>
"""


@pytest.mark.parametrize('encoding', ['ISO-8859-1', 'windows-1252', 'utf-8'])
@pytest.mark.parametrize('before', ['', '\n', ' \n\t'])
def test_a_robot_may_declare_its_encoding(tmp_path, encoding, before):
    """Also where a line break comes first, as in a text within a program."""
    path = tmp_path / 'arm.urdf'
    body = ARM7.replace('"hand"', '"händ"').lstrip()
    text = f'{before}<?xml version="1.0" encoding="{encoding}"?>\n{body}'
    path.write_text(text, encoding=encoding)
    for source in (path, text):
        assert read_urdf(source).leaves == ('händ',)


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-16-le', 'utf-16-be', 'utf-32-le', 'utf-32-be'])
@pytest.mark.parametrize('declared', ['', ' encoding="{}"'])
def test_a_byte_order_mark_tells_the_encoding(encoding, declared):
    """As XML 1.0 requires of parsers. Other libraries read what is left as UTF-8."""
    name = encoding.removesuffix('-le').removesuffix('-be')
    head = f'<?xml version="1.0"{declared.format(name)}?>'
    content = f'\ufeff{head}{ARM7.strip()}'.replace('"hand"', '"händ"').encode(encoding)
    text = xml_text(content)
    assert read_urdf(text).leaves == ('händ',)
    assert ElementTree.fromstring(text.encode()).findall('link[@name="händ"]')


def test_a_text_declares_no_encoding_that_it_no_longer_has():
    """Written as UTF-8 it is read alike; what says UTF-8, or nothing, stays as it is."""
    body = '<robot name="ä"/>'
    text = xml_text(f'<?xml version="1.0" encoding="ISO-8859-1" ?>{body}'.encode('latin-1'))
    assert text == f'<?xml version="1.0" ?>{body}'
    for head in ('', '<?xml version="1.0"?>', "\n<?xml version='1.0' encoding='utf-8'?>"):
        assert xml_text((head + body).encode()) == head + body


@pytest.mark.parametrize('head', ['', '<?xml version="1.0"?>', '\n <?xml version="1.0"?>\n'])
def test_a_text_may_have_a_default_namespace(head):
    """Also blanks before its declaration: XML parsers take what is left, and find its links."""
    text = head + ARM7.strip().replace('<robot', '<robot xmlns="http://drake.mit.edu"', 1)
    root = ElementTree.fromstring(plain_xml(text))
    assert len(root.findall('link')) == len(parse_urdf(text).links) > 0


def test_an_encoding_that_nobody_knows_is_named(tmp_path):
    """As one that is no encoding of text."""
    path = tmp_path / 'arm.urdf'
    for encoding in ('klingon', 'hex', 'ascii'):
        path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><robot name="ä"/>', 'utf-8')
        with pytest.raises(SoftshellError, match=f'cannot be read: it is not {encoding} text'):
            read_urdf(path)


def test_a_xacro_that_is_not_expanded_is_refused():
    """Else what its macros make would be missing; its namespace alone is allowed."""
    head = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'
    named = DOOR.replace('<robot', head)
    assert parse_urdf(named).joint('hinge').upper == 1.0
    for text in (
        named.replace('</robot>', '<xacro:include filename="more.xacro"/></robot>'),
        named.replace('<origin xyz="0 0 1"/>', '<xacro:include filename="origin.xacro"/>'),
    ):
        with pytest.raises(SoftshellError, match='has <xacro:include>; expected one that is exp'):
            parse_urdf(text)


def test_a_robot_has_a_link():
    with pytest.raises(SoftshellError, match='it has no link; expected one or more') as caught:
        parse_urdf('<robot name="none"/>')
    assert 'loop' not in str(caught.value)


def test_a_limit_may_leave_out_effort_and_velocity():
    """They are infinite then; one that is given is a number."""
    joint = parse_urdf(DOOR.replace(LIMIT, '<limit lower="-1" upper="1"/>')).joint('hinge')
    assert (joint.lower, joint.upper) == (-1.0, 1.0)
    assert (joint.effort, joint.velocity) == (np.inf, np.inf)
    for key in ('effort', 'velocity'):
        for wrong in ('fast', '', 'inf'):
            text = DOOR.replace(LIMIT, f'<limit lower="-1" upper="1" {key}="{wrong}"/>')
            with pytest.raises(SoftshellError, match=rf'{key}(="\.\.\."| is)'):
                parse_urdf(text)


@pytest.mark.parametrize('source', [b'<robot/>', None, 7])
def test_what_is_neither_text_nor_path_is_refused(source):
    """Also the bytes of a file: text has no encoding any more."""
    with pytest.raises(
        SoftshellError, match=r'URDF is .*; expected the path of a URDF, or its XML'
    ):
        read_urdf(source)


def test_a_path_that_no_system_has_is_refused():
    """One with a NUL in it."""
    with pytest.raises(SoftshellError, match='cannot be read: embedded null'):
        read_urdf('a\0b')


@pytest.mark.parametrize('size', [1e-5, 1.0, 1e200])
def test_an_axis_is_a_direction_of_any_length(size):
    """Up to numbers whose squares are too large."""
    door = parse_urdf(DOOR.replace('<axis xyz="0 0 1"/>', f'<axis xyz="{size} 0 {size}"/>'))
    assert door.joint('hinge').axis == pytest.approx([0.5**0.5, 0.0, 0.5**0.5])
