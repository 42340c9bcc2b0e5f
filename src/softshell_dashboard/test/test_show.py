"""The show: measurements reach scene, plots and numbers; unwatched, little is done."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from dashboard_rig import FakeScene, FakeSource

from softshell_dashboard.history import PERIOD, History
from softshell_dashboard.journal import MOST, MOST_NOTES, Journal, Kind
from softshell_dashboard.show import IDLE_PERIOD, MOST_STEPS, STEP, Show
from softshell_dashboard.snapshot import Base, Feet, Snapshot
from softshell_description.load import load_robot


class Standing(FakeSource):
    """Shell, standing somewhere."""

    model = load_robot('shell')
    told = False

    def __init__(self):
        feet = self.model.legs.feet
        self.shot = Snapshot(
            joints={joint.name: 0.0 for joint in self.model.joints},
            commands={joint.name: 0.01 for joint in self.model.joints},
            base=Base(np.array([1.0, 2.0, 0.2]), np.array([0.0, 0.0, 0.0, 1.0])),
            feet=Feet(feet, (True,) * len(feet), np.tile([0.0, 0.0, 5.0], (len(feet), 1))),
            plan=np.zeros((4, 1)),
            plan_joints=(self.model.joints[0].name,),
        )

    def description(self):
        text, self.told = None if self.told else self.model.urdf_text, True
        return text

    def base_link(self):
        return self.model.base.link

    def feet(self):
        return self.model.legs.feet


@pytest.fixture
def show(clock):
    return Show(Standing(), FakeScene(), lambda text: pytest.fail(text), clock)


def test_a_watched_robot_is_drawn(show):
    show.step(True, True, False)
    shown = {name: given for name, *given in show._scene.shown}
    assert len(shown['set_robot'][0]) > 3
    poses = shown['move_robot'][0]
    assert np.isfinite(poses).all()
    np.testing.assert_allclose(shown['centre'][0], [1.0, 2.0, 0.2])
    assert len(shown['draw_forces'][0]) == 6
    lines = {given[1]: given[2] for given in show._scene.shown if given[0] == 'draw_lines'}
    assert len(lines['support'][0]) >= 3
    assert len(lines['plan']) == 6
    np.testing.assert_allclose(lines['path'][0][0][:2], [1.0, 2.0])


def test_arrows_of_contacts_show_what_carries_not_what_the_floor_bears(show):
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    forces = np.array([[1.0, 0.0, -5.0], [0.0, 2.0, 3.0]])
    show._source.shot = replace(show._source.shot, contact_points=points, contact_forces=forces)
    show.step(True, True, True)
    drawn = {name: given for name, *given in show._scene.shown}['draw_forces']
    np.testing.assert_array_equal(drawn[1], [[-1.0, 0.0, 5.0], [0.0, 2.0, 3.0]])


def test_the_table_of_joints_has_none_for_what_is_unknown(show, clock):
    source = show._source
    first, second, *_ = source.shot.joints
    source.shot = replace(
        source.shot, commands={first: 0.25}, efforts={first: 1.5, second: float('nan')}
    )
    source.temperatures = lambda: {second: 41.0}
    show.step(False, True, False)
    rows = show.joints()
    assert rows[0] == [first, 0.0, 0.25, 1.5, None]
    assert rows[1] == [second, 0.0, None, None, 41.0]
    assert len(rows) == len(source.shot.joints)
    json.dumps(rows, allow_nan=False)


def test_the_path_of_the_base_is_drawn_up_to_where_it_is_however_long_it_is(show, clock):
    for number in range(MOST_STEPS + 20):
        x = 1.5 * STEP * number
        base = Base(np.array([x, 0.0, 0.2]), np.array([0.0, 0.0, 0.0, 1.0]))
        show._source.shot = replace(show._source.shot, base=base)
        clock.now += IDLE_PERIOD
        show.step(number >= MOST_STEPS, True, False)
        if number >= MOST_STEPS:
            lines = {given[1]: given[2] for given in show._scene.shown if given[0] == 'draw_lines'}
            assert lines['path'][0][-1][0] == pytest.approx(x)
    assert len(lines['path'][0]) == MOST_STEPS


def test_an_unwatched_robot_is_sampled_but_not_drawn(show, clock):
    for _ in range(30):
        clock.now += 1.0 / 30.0
        show.step(False, True, False)
    assert [name for name, *_ in show._scene.shown] == ['set_robot', 'fit']
    assert 4 <= len(show.history.since(0.0)) <= 6


def test_numbers_are_json(show):
    show.step(True, True, False)
    numbers = json.loads(json.dumps(show.numbers(), allow_nan=False))
    assert numbers['name'] == 'shell'
    assert numbers['base']['x'] == 1.0
    assert numbers['margin'] > 0.0
    assert numbers['state'] == 'holding'


def test_a_missing_mesh_is_reported_once_by_name(clock):
    told = []
    source = Standing()
    source.description = lambda: '<robot name="x"><link name="a"><visual><geometry>' \
        '<mesh filename="/nowhere.stl"/></geometry></visual></link></robot>'  # fmt: skip
    Show(source, FakeScene(), told.append, clock).step(True, True, False)
    assert len(told) == 1
    assert '/nowhere.stl' in told[0]


def test_history_keeps_a_minute_and_leaves_out_unknown_numbers():
    history = History()
    for number in range(1000):
        assert history.is_due(number * PERIOD)
        history.add({'a': number, 'b': None, 'c': float('nan')}, number * PERIOD)
        assert not history.is_due(number * PERIOD + 0.05)
    rows = history.since(-1.0)
    assert len(rows) == 300
    assert rows[-1].keys() == {'time', 'a'}
    assert history.since(history.newest) == []


def test_the_journal_counts_what_repeats():
    journal = Journal()
    for _ in range(3):
        journal.add(Kind.WARNING, 'hot', 1.0)
    journal.add(Kind.DONE, 'walk', 2.0)
    assert [(one['text'], one['count']) for one in journal.since(0)] == [('hot', 3), ('walk', 1)]
    assert [one['text'] for one in journal.since(3)] == ['walk']
    for number in range(2 * MOST):
        journal.add(Kind.NOTE, str(number), 3.0)
    assert [one['text'] for one in journal.since(0)][:2] == ['hot', 'walk']
    assert len(journal.since(0)) == 2 + MOST_NOTES
    for number in range(2 * MOST):
        journal.add(Kind.ASKED, str(number), 4.0)
    assert len(journal.since(0)) == MOST


def test_several_threads_may_write_the_journal():
    journal = Journal()

    def write(name):
        for number in range(3000):
            journal.add(Kind.WARNING, f'{name} {number}', 0.0)

    threads = [threading.Thread(target=write, args=(name,)) for name in 'ab']
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        numbers = [one['number'] for one in journal.since(0)]
        assert numbers == sorted(set(numbers))
    assert journal.since(0)[-1]['number'] == 6000


def test_a_line_of_the_journal_is_one_line():
    journal = Journal()
    journal.add(Kind.REFUSED, 'one\ntwo\x1b[31m' + 'x' * 5000, 0.0)
    (entry,) = journal.since(0)
    assert entry['text'].startswith('one\\ntwo\\x1b[31mxxx')
    assert len(entry['text']) < 1100
