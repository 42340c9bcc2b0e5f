"""Numbers on pages that a benchmark measured are those of the run that is kept in docs/figures."""

import re
from collections.abc import Sequence
from statistics import fmean

import pytest
from pages import ROOT, tables, text_of

SIM, ROD, BALL = (
    text_of(ROOT / 'docs' / 'figures' / f'{name}.txt') for name in ('sim', 'continuum', 'rolling')
)
ENGINES, SOFT = (text_of(ROOT / 'docs' / page) for page in ('engines.md', 'continuum.md'))


def numbers(text: str) -> list[str]:
    """All numbers in a text, as they are written, without their signs."""
    return re.findall(r'\d+(?:\.\d+)?', text)


def assert_shown(shown: str, measured: Sequence[float]) -> None:
    """The numbers of a text are those that were measured, to the last digit that is shown."""
    texts = numbers(shown)
    assert len(texts) == len(measured), (shown, measured)
    for text, value in zip(texts, measured, strict=True):
        last = 10.0 ** -len(text.partition('.')[2])
        assert abs(float(text) - value) < 0.501 * last, (shown, measured)


def page_rows(page: str, begin: str) -> list[tuple[str, ...]]:
    """Rows of the table whose first row begins so."""
    (table,) = (each for each in tables(page) if each.rows[0][0] == begin)
    return list(table.rows)


def run_rows(title: str, run: str = SIM) -> list[list[str]]:
    """Rows of a table in the run of a benchmark, cells that go over several lines joined.

    A cell of the first column that is empty where a row begins has the text of the one above.
    """
    found: list[list[str]] = []
    for line in run[run.index(title) :].split('└')[0].splitlines():
        cells = [cell.strip() for cell in line.split('│')[1:-1]]
        if cells and cells[1]:
            found.append([cells[0] or found[-1][0], *cells[1:]])
        elif cells:
            pairs = zip(found[-1], cells, strict=True)
            found[-1] = [f'{above} {below}'.strip() for above, below in pairs]
    return found


def test_what_a_step_costs():
    """In each row; what losses of motors add, and how much faster MuJoCo is."""
    costs: dict[str, list[float]] = {}
    for name, _, step_cost, ratio, _, tick_ratio, _ in run_rows('cost of a step, walking'):
        costs.setdefault(name, []).extend(map(float, (step_cost, ratio, tick_ratio)))
    for (name, values), (label, *told) in zip(
        costs.items(), page_rows(ENGINES, 'bare'), strict=True
    ):
        assert name.split(',')[0] in label
        assert_shown(' '.join(told), values)
    step = {name: (values[0], values[3]) for name, values in costs.items()}
    one, other = (more - less for more, less in zip(step['motors'], step['all off'], strict=True))
    told = f'a step takes {one:.0f} µs more than without in PyBullet, and {other:.0f} µs in MuJoCo'
    assert told in ENGINES
    assert step['all off'][0] / step['all off'][1] == pytest.approx(4.0, rel=0.15)
    assert 'A step of MuJoCo takes a quarter of the time' in ENGINES


def test_how_fast_the_stack_is():
    """With ROS and without it, and how exact in time."""
    first = '× real time, as fast as possible: three runs'
    three, alone, jitter, latency = page_rows(ENGINES, first)
    bridge = {name: cells for name, *cells in run_rows('the bridge without ROS')}
    factor = {}
    (took,) = re.findall(r'while Shell walks 2\.8 m in (.*?) of simulated time', ENGINES)
    for name, seconds, fast, runs, *late in run_rows('the whole stack'):
        place = ('pybullet', 'mujoco', 'mock').index(name) + 1
        factor[name] = float(fast)
        assert_shown(three[place], [float(run) for run in runs.split()])
        assert_shown(jitter[place], [float(late[0])])
        assert_shown(latency[place], [float(late[1]), float(late[2])])
        assert_shown(alone[place], [float(cell) for cell in bridge.get(name, ())[:2]])
        assert f'{seconds} s' in took
    assert factor['mujoco'] / factor['pybullet'] == pytest.approx(2.0, rel=0.15)
    assert 'the whole stack runs twice as fast' in ENGINES


def test_how_a_step_grows():
    """By contacts, and from one leg to 16."""
    grown = SIM[SIM.index('how many: cost of a step') :]
    many, one, sixteen = ([float(cost) for cost in re.findall(rf'│ {count}: (\d+)', grown)][-2:]
                          for count in (128, 1, 16))  # fmt: skip
    (contacts,) = re.findall(r'stacks of boxes a step costs (.*?)\.', ENGINES)
    assert_shown(contacts, [many[0] / 128.0, many[1] / 128.0])
    (legs,) = re.findall(r'the cost of a step grows from (.*?)\.', ENGINES)
    assert_shown(legs, [one[0], sixteen[0], 16, one[1], sixteen[1]])


def test_the_scenes_beside_klampt():
    """Jitter, where bodies are at the end, accelerations, and a step of the stack."""
    runs = {(scene, name): cells for scene, name, *cells in run_rows('five scenes')}

    def first(scene: str, name: str, place: int) -> float:
        return float(numbers(runs[scene, name][place])[0])

    for name, place in (('pybullet', 1), ('mujoco', 2), ("Klamp't", 3)):
        jitters = {scene: first(scene, name, 0) for scene, other in runs
                   if other == name and runs[scene, name][0]}  # fmt: skip
        ends = {scene: first(scene, name, 4) for scene, other in runs if other == name}
        plate, stack = 'thin plate on its edge', 'stack of five'
        expected = [
            [jitters['box at rest'], ends['box at rest']],
            [ends['box on a ramp, sticks']],
            [ends['box on a ramp, slides']],
            [ends['bouncing ball'], first('bouncing ball', name, 2) / 1e3],
            [jitters[stack], ends[stack]],
            [jitters[plate], ends[plate]],
            [first(stack, name, 3)],
        ]
        rows = page_rows(ENGINES, 'box at rest: jitter, off its height')
        for row, values in zip(rows, expected, strict=True):
            assert_shown(row[place], values)


def rods(method: str) -> list[list[float]]:
    """Of each trial in the run: error of the tip, distance from the statics [cm], and time [s]."""
    line = rf'^ +\d  {method} .*?([\d.]+) cm +([\d.]+) cm from statics .* in ([\d.]+) s$'
    return [[float(cell) for cell in found] for found in re.findall(line, ROD, re.MULTILINE)]


def test_the_measured_rod():
    """Errors, distances and times of all methods, and how the number of links shifts the tip."""
    statics = [[float(error), 0.0, float(time) / 1e3]
               for error, time in re.findall(r'([\d.]+) cm  ([\d.]+) ms$', ROD, re.M)]  # fmt: skip
    chain, elastica, cable = map(rods, ('chain in MuJoCo', 'PyElastica', 'cable of MuJoCo 3'))
    mean, largest, apart, times = page_rows(SOFT, 'error of the tip, mean of five trials')
    for place, trials in enumerate((statics, chain, elastica), 1):
        assert len(trials) == 5
        errors, distances, seconds = zip(*trials, strict=True)
        assert_shown(mean[place], [fmean(errors)])
        assert_shown(largest[place], [max(errors)])
        unit = 1e3 if 'ms' in times[place] else 1.0
        assert_shown(times[place], [unit * min(seconds), unit * max(seconds)])
        if any(distances):
            assert_shown(apart[place], [max(distances)])
    (beside,) = re.findall(r'PyElastica takes (.*)$', ROD, re.MULTILINE)
    assert f'PyElastica takes {beside.replace(", ", ", and ")}.' in SOFT
    errors, distances, _ = zip(*cable, strict=True)
    (second,) = re.findall(r'tendons of MuJoCo 3, ends (.*? time)', SOFT)
    ratios = re.findall(r'statics, ([\d.]+) to ([\d.]+) times as long as the chain', ROD)[-1]
    assert_shown(second, [min(distances), max(distances), fmean(errors), max(errors),
                          *map(float, ratios)])  # fmt: skip
    (shifts,) = re.findall(r'Division into ten links (.*)\.$', SOFT, re.MULTILINE)
    by_links = dict(re.findall(r'^ +(\d+) links: ([\d.]+) mm$', ROD, re.MULTILINE))
    assert_shown(
        shifts, [float(by_links['10']), 25, float(by_links['25']), 50, float(by_links['50'])]
    )


def test_how_the_ball_rolls():
    """Of 20 seeds in MuJoCo: how many do what is asked, the slowest, the means, the worst."""
    rows = [line.split() for line in BALL.splitlines() if re.match(r' +\d+ ', line)]
    assert len(rows) == 20
    mean, off, turned, stop, stands = (
        [abs(float(row[place])) for row in rows] for place in (2, 3, 4, 5, 9)
    )
    slow = sorted({value for value in mean if value < 0.5})
    expected = [
        [sum(value >= 0.5 for value in mean), 20, *slow, fmean(mean)],
        [sum(value < 8.0 for value in off), 20, max(off)],
        [sum(value <= 1.5 for value in turned), 20, fmean(turned)],
        [sum(value <= 0.8 for value in stop), 20, max(stop)],
        [sum(value < 5.0 for value in stands), 20],
    ]
    table = page_rows(text_of(ROOT / 'docs' / 'rolling.md'), '3 m from rest at 0.5 m/s or more')
    for row, values in zip(table, expected, strict=True):
        assert_shown(row[1], values)


def test_the_readme_shows_how_many_bad_messages_there_were():
    """With the requests among them beside the answers, which are as many, and no problem."""
    readme = text_of(ROOT / 'README.md')
    rows = dict(re.findall(r'^│ ([\w :]+?) +│ (\d+) +│', readme, re.MULTILINE))
    assert int(rows['bad messages']) == 10_000
    assert 0 < int(rows['answered']) == int(rows['requests among them'])
    assert rows['problems'] == '0'
