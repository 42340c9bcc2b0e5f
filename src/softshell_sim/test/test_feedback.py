"""What is told of contacts after several steps, on every engine."""

import numpy as np
import pytest

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.contact.feedback import ContactFeedback
from softshell_sim.shapes import Box, Plane, Sphere

STEP, GRAVITY = 0.001, 9.81


def watch(bench, feedback, seconds):
    """A report of this much time."""
    feedback.begin()
    for _ in range(round(seconds / STEP)):
        bench.engine.step()
        feedback.after_step()
    return feedback.read()


def test_a_box_at_rest(start):
    """At rest a box is in contact all along, and the mean force on it is m g within 1 %."""
    bench = start()
    floor, box = bench.floor(), bench.box()
    ball = bench.engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(y=3.0, z=2.0)))
    bench.run(0.5)
    report = watch(bench, ContactFeedback(bench.engine), 0.1)
    pair = report.between(box, floor)
    assert report.steps == 100
    assert (pair.in_contact, pair.had_contact, pair.had_separation) == (True, True, False)
    assert not pair.had_penetration
    assert pair.mean_force == pytest.approx([0.0, 0.0, 2 * GRAVITY], rel=0.01, abs=0.02)
    assert pair.force == pytest.approx(np.sum([each.force for each in pair.contacts], axis=0))
    assert all(each.other is floor and each.normal[2] > 0.999 for each in pair.contacts)
    back = report.between(floor, box)
    assert back.body is floor
    assert (back.force == -pair.force).all()
    assert all(each.other is box and each.normal[2] < -0.999 for each in back.contacts)
    assert len(report.pairs) == 1
    apart = report.between(ball, box)
    assert (apart.in_contact, apart.had_contact, apart.had_separation) == (False, False, True)
    assert (apart.mean_force == 0.0).all()


def test_a_bounce_is_both_contact_and_separation(start):
    """Over a bounce the mean force, times the time, is the change of momentum and the weight."""
    bench = start()
    engine = bench.engine
    floor = bench.floor(Surface(restitution=0.6))
    surface = Surface(restitution=0.6)
    ball = engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(z=0.3), surface))
    feedback = ContactFeedback(engine)
    before = watch(bench, feedback, 0.1).between(ball, floor)
    assert (before.had_contact, before.had_separation) == (False, True)
    began = bench.state(ball).linear_velocity[2]
    pair = watch(bench, feedback, 0.2).between(ball, floor)
    assert (pair.in_contact, pair.had_contact, pair.had_separation) == (False, True, True)
    gain = bench.state(ball).linear_velocity[2] - began
    assert gain > 1.0
    assert pair.mean_force[2] * 0.2 == pytest.approx(gain + GRAVITY * 0.2, rel=1e-3)
    assert (pair.force == 0.0).all()
    assert pair.contacts == ()


def test_penetration_is_more_than_the_layers(start):
    """A box that is put deeper than both layers had penetration; one within them had not."""
    for depth, expected in ((0.002, False), (0.006, True)):
        bench = start(gravity=0.0)
        floor = bench.engine.add(ObjectSpec('floor', Plane(), padding=0.001))
        shape = Box((0.2, 0.2, 0.2))
        pose = shift(z=0.1 + 0.004 - depth)
        box = bench.engine.add(ObjectSpec('box', shape, 2.0, pose, padding=0.003))
        pair = watch(bench, ContactFeedback(bench.engine), 0.001).between(box, floor)
        assert pair.had_contact
        assert pair.had_penetration == expected


def test_links_are_told_apart(start):
    """Of a robot each link that touches has a pair of its own; the forces sum up to the body's."""
    bench = start()
    floor = bench.engine.add(ObjectSpec('floor', Plane(), pose=shift(z=4.55)))
    body = bench.pendulum()
    bench.run(0.2)
    pair = watch(bench, ContactFeedback(bench.engine), 0.05).between(body, floor)
    assert [body.links[link.link] for link in pair.links] == ['bob']
    assert pair.links[0].mean_force == pytest.approx(pair.mean_force)
    assert {each.link for each in pair.contacts} == {body.links.index('bob')}


def test_many_contacts_become_few(start):
    """At most one contact is told of a box on two others if that is asked, with all its force."""
    bench = start()
    floor, box = bench.floor(), bench.box()
    bench.run(0.5)
    every, single = (
        watch(bench, ContactFeedback(bench.engine, most), 0.001).between(box, floor)
        for most in (20, 1)
    )
    assert len(every.contacts) > 1 == len(single.contacts)
    assert single.contacts[0].force == pytest.approx(every.force, rel=1e-2, abs=1e-2)
    assert single.contacts[0].force == pytest.approx(single.force)


def test_all_contacts_are_those_of_each_body(start):
    """The table of all contacts and the lists of bodies tell the same, with opposite signs."""
    bench = start()
    floor, box = bench.floor(Surface(0.5)), bench.box(surface=Surface(0.5))
    bench.run(0.3)
    table = bench.engine.all_contacts()
    ours, theirs = bench.engine.contacts(box), bench.engine.contacts(floor)
    assert len(table) == len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        assert (one.force == -other.force).all()
        assert (one.normal == -other.normal).all()
        assert (one.point == other.point).all()
        assert one.friction == pytest.approx(0.5)
        assert (one.couple == 0.0).all()
