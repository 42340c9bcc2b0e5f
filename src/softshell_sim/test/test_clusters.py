"""Few contacts that stand for many: what is kept, whatever the contacts are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import Body, Contact
from softshell_sim.contact.clusters import cluster

OTHER = Body('other', ('other',), ())


def contact(point, normal, depth, force, couple=(0.0, 0.0, 0.0)):
    """A contact with the only link of another body."""
    normal = np.array(normal, dtype=float)
    length = np.linalg.norm(normal)
    unit = normal / length if length > 1e-3 else np.array([0.0, 0.0, 1.0])
    return Contact(
        0, OTHER, 0, np.array(point), unit, float(depth), np.array(force), 0.5, np.array(couple)
    )


def wrench(contacts, about):
    """(6,) force [N] and torque about a point [N m] of contacts."""
    force = np.sum([each.force for each in contacts], axis=0)
    torque = np.sum(
        [np.cross(each.point - about, each.force) + each.couple for each in contacts], axis=0
    )
    return np.concatenate([force, torque])


@st.composite
def many_contacts(draw):
    """1 to 40 contacts, anywhere within a metre, with any forces."""
    count = draw(st.integers(1, 40))
    rows = draw(arrays(float, (count, 11), elements=st.floats(-1.0, 1.0)))
    return [contact(row[:3], row[3:6], 0.01 * row[6], 100 * row[7:10]) for row in rows]


@given(many_contacts(), st.integers(1, 12), arrays(float, 3, elements=st.floats(-2, 2)))
def test_wrench_and_deepest_point_are_kept(contacts, most, about):
    """Force and torque about any point agree to 1e-9 of their size; the deepest point comes first.

    And there are no more than were asked for, whatever the contacts are.
    """
    few = cluster(contacts, most)
    assert 1 <= len(few) <= most or len(few) == len(contacts) <= most
    size = sum(np.linalg.norm(each.force) for each in contacts) * 4.0 + 1e-9
    assert np.abs(wrench(few, about) - wrench(contacts, about)).max() <= 1e-9 * size
    deepest = max(contacts, key=lambda each: each.depth)
    kept = max(few, key=lambda each: each.depth)
    assert kept.depth == deepest.depth
    assert any((kept.point == each.point).all() for each in contacts)
    for each in few:
        assert np.linalg.norm(each.normal) == pytest.approx(1.0)


def test_the_same_contacts_give_the_same_clusters():
    """Twice the same contacts give the same numbers bit for bit."""
    rows = np.random.default_rng(3).normal(size=(60, 10))
    contacts = [contact(row[:3], row[3:6], row[6], row[7:]) for row in rows]
    first, second = (
        np.array([np.concatenate([c.point, c.force, c.couple]) for c in cluster(contacts, 7)])
        for _ in range(2)
    )
    assert first.tobytes() == second.tobytes()


def test_feet_of_a_table_stay_apart():
    """Four groups of contacts with equal forces become one contact in the middle of each."""
    corners = np.array([[x, y, 0.0] for x in (-1.0, 1.0) for y in (-0.5, 0.5)])
    around = 0.01 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 0.0]])
    contacts = [
        contact(corner + offset, (0, 0, 1), 1e-3 if (offset == 0).all() else 0.0, (0, 0, 10.0))
        for corner in corners
        for offset in around
    ]
    few = cluster(contacts, 4)
    found = sorted(np.round(each.point, 9).tolist() for each in few)
    assert found == sorted(corners.tolist())
    for each in few:
        assert each.force == pytest.approx([0.0, 0.0, 50.0])
        assert each.couple == pytest.approx(np.zeros(3), abs=1e-12)


def test_the_point_is_the_centre_of_pressure():
    """With different forces the point is where their sum acts, so that no couple is left."""
    deep = contact((5.0, 0.0, 0.0), (0, 0, 1), 0.01, (0, 0, 1.0))
    edge = [contact((x, 0.0, 0.0), (0, 0, 1), 0.0, (0, 0, f)) for x, f in ((0, 1.0), (0.3, 3.0))]
    first, second = cluster([*edge, deep], 2)
    assert first.point == pytest.approx([5.0, 0.0, 0.0])
    assert second.point == pytest.approx([(0 * 1.0 + 0.3 * 3.0) / 4.0, 0.0, 0.0])
    assert second.couple == pytest.approx(np.zeros(3), abs=1e-12)


def test_few_contacts_are_left_alone():
    """Contacts that are few enough are returned; a number below 1 and mixed pairs are refused."""
    contacts = [contact((k, 0, 0), (0, 0, 1), 0.0, (0, 0, 1.0)) for k in range(3)]
    assert cluster(contacts, 3) == contacts
    assert cluster([], 3) == []
    with pytest.raises(SoftshellError, match='most contacts of a pair is 0; expected 1 or more'):
        cluster(contacts, 0)
    with pytest.raises(SoftshellError, match='contacts of 2 pairs of links cannot be clustered'):
        cluster([*contacts, replace(contacts[0], link=1)], 3)
