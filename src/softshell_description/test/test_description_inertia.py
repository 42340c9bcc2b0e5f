"""Masses and inertias."""

import numpy as np
import pytest

# Part: mass [kg], principal moments [kg mm^2], centre of mass [mm] in the link frame.
PARTS = {
    'bottom_chassis': (0.091, (78.3, 68.2, 116.9), (-0.8, 8.3, -11.8)),
    'middle_chassis': (0.049, (96.7, 91.7, 188.2), (0, 0, 0)),
    'upper_chassis': (0.413, (860, 862, 1571), (0, 0, 22.7)),
    'central_gear': (0.046, (19.1, 19.1, 37.8), (0, 0, 2.1)),
    'lower_0_carrier': (0.042, (23.7, 84.9, 69.9), (31.9, 6.8, -4.3)),
    'lower_3_hip': (0.108, (39.2, 59.9, 59.9), (19, 19, -5.3)),
    # A pitching link's axis is y: the table's (x, y, z) is the link's (x, -z, y).
    'lower_2_thigh': (0.012, (6.1, 6.8, 11.9), (33, 0, -5)),
    'lower_5_shin': (0.163, (215.1, 489.0, 607.7), (5.8, 0.3, 10.1)),
    'upper_1_arm': (0.016, (8.3, 13.7, 20.6), (42.5, 0, -4.7)),
    'upper_4_forearm': (0.142, (218.1, 417.8, 523.4), (40.4, -0.4, -4.3)),
}


def test_total_mass_is_the_report_s(robot):
    """The parts weigh 3.497 kg together."""
    assert robot.urdf.mass == pytest.approx(3.497, abs=1e-9)


@pytest.mark.parametrize('name', PARTS)
def test_part_has_the_report_s_inertia(name, robot):
    """Mass, centre of mass and moments are those of docs/shell.md, in the link frame."""
    mass, moments, com = PARTS[name]
    link = robot.urdf.link(name)
    assert link.mass == mass
    assert np.allclose(link.inertia, np.diag(moments) * 1e-6, rtol=0, atol=1e-15)
    assert np.allclose(link.com, np.array(com) * 1e-3, rtol=0, atol=1e-15)


def test_inertias_are_those_of_real_bodies(robot):
    """Each is symmetric, positive definite, and none of its moments exceeds the other two."""
    for link in robot.urdf.links:
        if link.mass == 0.0:
            continue
        moments = np.linalg.eigvalsh(link.inertia)
        assert np.allclose(link.inertia, link.inertia.T, rtol=0, atol=1e-18), link.name
        assert moments[0] > 0.0, link.name
        assert moments[0] + moments[1] >= moments[2], link.name


def test_only_frames_weigh_nothing(robot):
    """Without inertia are the root, the feet and the tips."""
    weightless = {link.name for link in robot.urdf.links if link.mass == 0.0}
    assert weightless == {'base_link'} | {
        f'{end}_{k}' for end in ('foot', 'tip') for k in range(6)
    }


def test_panel_s_mass_lies_outwards(robot):
    """Shin and forearm have their centre of mass towards their panel, not away from it."""
    assert robot.urdf.link('lower_0_shin').com[2] > 0.0
    assert robot.urdf.link('upper_0_forearm').com[2] < 0.0
