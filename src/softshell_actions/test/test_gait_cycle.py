"""The parts of a gait's cycle: where it is cut, and how far swings are there."""

import pytest

from softshell_actions.language.gait import Gait, LegTiming
from softshell_actions.planning.gait_cycle import GaitCycle

#: Phase and duty of each leg.
TRIPOD = {'left': (0.0, 0.5), 'right': (0.5, 0.5)}
CRAWL = {'a': (0.0, 0.87), 'b': (0.25, 0.87), 'c': (0.5, 0.87), 'd': (0.75, 0.87)}
#: Each leg lifts before the one before it lands.
RIPPLE = {'a': (0.0, 0.6), 'b': (0.3, 0.6), 'c': (0.6, 0.6)}


def cycle(timings, later=0.0):
    """The cycle of a gait, in which everything happens later by a part of the cycle."""
    legs = {
        leg: LegTiming(phase=(phase + later) % 1.0, duty=duty)
        for leg, (phase, duty) in timings.items()
    }
    return GaitCycle(Gait(name='gait', description='', legs=legs, stride='stride'), legs)


def walked(gait):
    """Each part, from the lift-off of the first leg on: its length, and all swings."""
    first = next(iter(gait.legs))
    count = len(gait.parts)
    begin = next(part for part in range(count) if gait.until_lift(first, part) < 1e-6)
    return [
        [gait.length(part), *(swing for leg in gait.legs for swing in gait.swing(leg, part) or ())]
        for part in ((begin + number) % count for number in range(count))
    ]


@pytest.mark.parametrize('timings', [TRIPOD, CRAWL, RIPPLE])
@pytest.mark.parametrize('later', [0.03, 0.1, 0.5, 0.95, 1e-9, 1.0 - 1e-9])
def test_it_does_not_matter_where_a_cycle_begins(timings, later):
    """The parts are those of the same gait at phase 0: nothing is cut where nothing happens."""
    plain, shifted = cycle(timings), cycle(timings, later)
    assert shifted.numbers == plain.numbers
    assert sum(map(shifted.length, range(len(shifted.parts)))) == pytest.approx(1.0)
    for found, expected in zip(walked(shifted), walked(plain), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_leg_that_lifts_with_others_lifts_now():
    """A touch-down and a lift-off that differ by rounding are one event, for every question."""
    gait = cycle({'a': (0.0, 0.666667), 'b': (0.333333, 0.666667), 'c': (0.666667, 0.666667)})
    begins = [k for k in range(len(gait.parts)) if (gait.swing('c', k) or (1.0, 1.0))[0] == 0.0]
    assert [gait.until_lift('c', part) for part in begins] == [0.0]
