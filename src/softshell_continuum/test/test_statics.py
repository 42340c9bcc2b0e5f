"""Chains at rest, held against closed forms, integration, and differences."""

import numpy as np
import pytest
from rods import LEVEL, RUBBER, stiff
from scipy.integrate import solve_bvp
from scipy.optimize import brentq, minimize
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

from softshell_continuum.elastic_chain import ElasticChain, ElasticJoint, chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.rod import X, Z
from softshell_continuum.statics import GRAVITY, Load, Statics
from softshell_continuum.tendon import Tendon
from softshell_kinematics.errors import SoftshellError, UnknownNameError

DISCS = np.array([0.0, 0.005, 0.053, 0.101, 0.149, 0.197, 0.245])
NO_GRAVITY = (0.0, 0.0, 0.0)


def three_tendons(**more):
    return [
        Tendon.along(f'tendon_{k}', DISCS, 0.015, 2.1 * k, 8.0 * (k == 2), **more)
        for k in range(3)
    ]


def test_derivatives_are_those_of_the_energy():
    """Gradient, Hessian and what tendons take up, against central differences, anywhere."""
    tendons = three_tendons(stiffness=200.0, outside=0.1)
    statics = Statics(RUBBER.chain(6), tendons, [(0.1, 0.01)], base=LEVEL)
    pulls = statics.pulls([1.0, 2.0, 0.0], {'tendon_2': 0.34})
    loads = [Load(0.2, np.array([0.1, -0.2, 0.3]))]
    problem = statics.search(pulls, loads, np.linspace(-0.01, 0.02, 24))
    random = np.random.default_rng(1)
    q = random.uniform(-0.2, 0.2, 24) * np.tile([0.01, 1.0, 1.0, 1.0], 6)
    _, gradient, hessian, _, tensions, taken = problem.evaluate(q)
    assert tensions[2] > 0.1
    step = 1e-6
    for place in range(24):
        change = step * (np.arange(24) == place)
        above, below = problem.evaluate(q + change), problem.evaluate(q - change)
        slope = (above[0] - below[0]) / (2 * step)
        assert gradient[place] == pytest.approx(slope, rel=1e-6, abs=1e-7)
        slopes = (above[1] - below[1]) / (2 * step)
        np.testing.assert_allclose(
            hessian[place], slopes, rtol=1e-6, atol=1e-6 * abs(slopes).max()
        )
        changes = (above[3] - below[3]) / (2 * step)
        np.testing.assert_allclose(taken[:, place], changes, atol=1e-8)


def test_a_cantilever_bends_as_the_elastica_under_a_load_at_its_tip():
    """From small to very large deflections: by elliptic integrals (Bisshopp, Drucker)."""
    rod, stiffness = stiff(), 0.02
    statics = Statics(rod.chain(400), gravity=NO_GRAVITY, base=LEVEL)
    for load in (0.01, 0.5, 2.0, 8.0):
        ratio = rod.length * np.sqrt(load / stiffness)

        def excess(slope, ratio=ratio):
            k = (1.0 + np.sin(slope)) / 2.0
            return ellipk(k) - ellipkinc(np.arcsin(1.0 / np.sqrt(2.0 * k)), k) - ratio

        slope = brentq(excess, 1e-9, 0.5 * np.pi - 1e-9)
        k = (1.0 + np.sin(slope)) / 2.0
        begin = np.arcsin(1.0 / np.sqrt(2.0 * k))
        down = rod.length * (1.0 - 2.0 * (ellipe(k) - ellipeinc(begin, k)) / ratio)
        along = np.sqrt(2.0 * stiffness * np.sin(slope) / load)
        found = statics.solve(tip_force=[0.0, 0.0, -load])
        assert found.converged
        assert found.tip == pytest.approx([along, 0.0, -down], abs=1e-4 * rod.length)


@pytest.mark.parametrize('weight', [0.01, 0.6, 5.0])
def test_a_cantilever_bends_as_the_elastica_under_its_own_weight(weight):
    """Against an integration of EI θ'' = w (L - s) cos θ, and w L⁴ / 8 EI where that is little."""
    rod, stiffness = stiff(weight), 0.02
    found = Statics(rod.chain(400), base=LEVEL).solve()
    load = weight * -GRAVITY[2]

    def slopes(s, y):
        return np.vstack([y[1], load * (rod.length - s) * np.cos(y[0]) / stiffness])

    mesh = np.linspace(0.0, rod.length, 400)
    hanging = -min(weight, 1.4) * np.tanh(8.0 * mesh / rod.length)
    start = np.vstack([hanging, np.gradient(hanging, mesh)])
    ends = lambda a, b: np.array([a[0], b[1]])  # noqa: E731
    solution = solve_bvp(slopes, ends, mesh, start, tol=1e-9, max_nodes=100_000)
    fine = np.linspace(0.0, rod.length, 20_001)
    angle = solution.sol(fine)[0]
    tip = [np.trapezoid(np.cos(angle), fine), 0.0, np.trapezoid(np.sin(angle), fine)]
    assert found.tip == pytest.approx(tip, abs=1e-4 * rod.length)
    if weight == 0.01:
        small = load * rod.length**4 / (8.0 * stiffness)
        assert found.tip[2] == pytest.approx(-small, rel=1e-3)


def test_the_error_falls_with_the_square_of_the_number_of_links():
    """Halved links: a quarter of the error."""
    tips = [
        Statics(RUBBER.chain(links), gravity=NO_GRAVITY).solve(tip_force=[1.0, 0.5, 0.0]).tip
        for links in (10, 20, 40, 320)
    ]
    errors = [np.linalg.norm(tip - tips[-1]) for tip in tips[:-1]]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(('end', 'factor'), [(0.25, 4.0), (0.1, 2.0)])
def test_a_tendon_that_ends_along_the_rod_makes_the_error_fall_with_the_number(end, factor):
    """The largest of ten numbers of links, twice as many: half the error, else a quarter."""
    tendon = Tendon.along('one', np.linspace(0.0, end, 6), 0.015)

    def tip(links):
        return Statics(RUBBER.chain(links), [tendon], gravity=NO_GRAVITY).solve([3.0]).tip

    exact = tip(400)
    errors = [
        max(np.linalg.norm(tip(links) - exact) for links in range(least, least + 10))
        for least in (10, 20, 40)
    ]
    assert errors[0] / errors[1] == pytest.approx(factor, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(factor, rel=0.1)


def test_a_column_buckles_at_eulers_load():
    """Clamped below: π² EI / 4 L². Less leaves it upright, more does not."""
    rod = stiff()
    statics = Statics(rod.chain(100), gravity=NO_GRAVITY)
    critical = np.pi**2 * 0.02 / (4.0 * rod.length**2)
    start = np.tile([0.0, 0.0, 0.001, 0.0], 100)
    upright = statics.solve(tip_force=[0.0, 0.0, -0.99 * critical], start=start)
    bent = statics.solve(tip_force=[0.0, 0.0, -1.01 * critical], start=start)
    assert upright.converged
    assert abs(upright.tip[0]) < 1e-9
    assert bent.converged
    assert bent.tip[0] > 0.1 * rod.length  # the closed form has 2√2/π · √0.01 · L at first order


def test_tensions_and_forces_move_the_tip_as_its_jacobians_say():
    """Against central differences, with friction left out."""
    statics = Statics(RUBBER.chain(25), three_tendons(), [(0.2, 0.005)], base=LEVEL)
    tensions, force = np.array([2.0, 1.0, 3.0]), np.array([0.05, -0.1, 0.1])
    found = statics.solve(tensions, tip_force=force)
    step = 1e-4
    for place in range(3):
        change = step * (np.arange(3) == place)
        above = statics.solve(tensions + change, tip_force=force).tip
        below = statics.solve(tensions - change, tip_force=force).tip
        assert found.tip_by_tension[:, place] == pytest.approx(
            (above - below) / (2 * step), rel=1e-5
        )
        above = statics.solve(tensions, tip_force=force + change).tip
        below = statics.solve(tensions, tip_force=force - change).tip
        assert found.tip_by_force[:, place] == pytest.approx(
            (above - below) / (2 * step), rel=1e-5
        )
    assert found.tip_by_force == pytest.approx(found.tip_by_force.T)


def test_a_tendon_beside_the_backbone_bends_it_to_an_arc():
    """Through many eyes its pull is a moment T h everywhere: curvature T h / (EI + ...)."""
    rod, pull, radius = stiff(), 1.0, 0.01
    tendon = Tendon.along('one', np.linspace(0.0, rod.length, 201), radius)
    found = Statics(rod.chain(200), [tendon], gravity=NO_GRAVITY).solve([pull])
    _, tangents = found.backbone(np.linspace(0.0, rod.length, 11))
    angles = np.arctan2(tangents[:, 0], tangents[:, 2])
    expected = pull * radius / 0.02 * rod.length
    assert angles[-1] == pytest.approx(expected, rel=2e-3)
    np.testing.assert_allclose(np.diff(angles), np.diff(angles).mean(), rtol=0.06)
    assert found.lengths[0] == pytest.approx(rod.length - radius * angles[-1], rel=1e-4)


@pytest.mark.parametrize('friction', [0.0, 0.3])
def test_a_tendon_held_at_a_length_pulls_with_what_it_is_stretched_by(friction):
    """The same pose as by that tension; a longer one is slack, and does nothing."""
    tendons = three_tendons(stiffness=500.0, outside=0.2, friction=friction)
    statics = Statics(RUBBER.chain(25), tendons, base=LEVEL)
    held = statics.solve({'tendon_0': 1.0}, {'tendon_1': 0.443})
    assert held.converged
    stretch = held.lengths[1] - 0.443
    assert held.tensions[1] == pytest.approx(500.0 * stretch / 0.443)
    assert held.tensions[1] > 0.5
    pulled = statics.solve([1.0, held.tensions[1], 0.0])
    assert pulled.tip == pytest.approx(held.tip, abs=1e-9)
    slack = statics.solve({}, {'tendon_1': 0.6})
    assert slack.tensions[1] == 0.0
    assert slack.tip == pytest.approx(statics.solve().tip, abs=1e-12)


def test_friction_takes_from_the_tension_by_the_angles_it_turns_through():
    """Capstan: what is left at the end is exp(-μ · angle); so it bends less."""
    smooth, rough = (
        Statics(
            RUBBER.chain(25), [Tendon.along('one', DISCS, 0.015, friction=mu)], gravity=NO_GRAVITY
        )
        for mu in (0.0, 0.3)
    )
    free, rubbed = smooth.solve([5.0]), rough.solve([5.0])
    assert rubbed.converged
    turned = [np.arccos(each.backbone([0.25])[1][0, 2]) for each in (free, rubbed)]
    assert 0.8 * turned[0] < turned[1] < 0.99 * turned[0]
    # In an arc the thread turns as the backbone does, but for half a span at either end.
    mean = np.exp(-0.3 * np.linspace(0.0, 1.0, 50) * turned[1]).mean()
    assert turned[1] / turned[0] == pytest.approx(mean, rel=0.03)


def test_friction_is_against_the_slip_of_a_tendon_that_is_let_go_too():
    """Capstan: its tension grows towards its end by exp(μ · angle); so it stays bent more."""
    tendons = [Tendon.along(name, DISCS, 0.015, friction=0.3) for name in ('one', 'idle')]
    statics = Statics(RUBBER.chain(25), tendons, gravity=NO_GRAVITY)
    smooth = Statics(RUBBER.chain(25), [Tendon.along('one', DISCS, 0.015)], gravity=NO_GRAVITY)

    def turned(rest):
        return np.arccos(rest.at_rest().tip_pose[2, 2])

    pulled, free = statics.solve({'one': 4.0}), smooth.solve([4.0])
    for rest, sign in ((pulled, -1.0), (statics.solve({'one': 4.0}, let_go=['one']), 1.0)):
        mean = np.exp(sign * 0.3 * np.linspace(0.0, 1.0, 50) * turned(rest)).mean()
        assert turned(rest) / turned(free) == pytest.approx(mean, rel=0.04)
    # Before it slips the other way, its tension falls by the friction of both.
    slips = brentq(
        lambda pull: turned(statics.solve({'one': pull}, let_go=['one'])) - turned(pulled), 1.0, 4
    )
    assert slips / 4.0 == pytest.approx(np.exp(-0.3 * turned(pulled)), rel=0.02)
    other = statics.solve({'one': 4.0}, let_go=['idle'])
    np.testing.assert_array_equal(other.positions, pulled.positions)
    with pytest.raises(UnknownNameError, match='two'):
        statics.solve(let_go=['two'])


def test_a_joint_without_a_spring_comes_to_rest():
    """A double pendulum hangs straight down; with a spring at its root only the rest does."""
    for stiffness in (0.0, 0.5):
        joints = [
            ElasticJoint(X, at, k, mass=0.1, centre=0.1 * Z, length=0.2)
            for at, k in ((0.0 * Z, stiffness), (0.2 * Z, 0.0))
        ]
        rest = Statics(ElasticChain(tuple(joints))).solve(start=[2.0, 0.5])
        assert rest.converged
        angle, bent = rest.positions
        assert np.cos(angle + bent) == pytest.approx(-1.0, abs=1e-9)
        torque = 0.1 * -GRAVITY[2] * 0.3 * np.sin(angle)  # of both masses about the root
        assert stiffness * angle == pytest.approx(torque, abs=1e-8)


def test_joints_beyond_the_backbone_do_not_move_its_end():
    """A flap on the end of a link: the tip's derivatives are differences of its place."""
    joints = (ElasticJoint(X, 0.0 * Z, 1.0, length=0.2), ElasticJoint(X, 0.1 * Z, 1.0, mass=0.1))
    statics = Statics(ElasticChain(joints), gravity=NO_GRAVITY)
    rest = statics.solve(efforts=[0.3, 0.4])
    assert rest.tip_jacobian[:, 1] == pytest.approx(np.zeros(6))
    change = 1e-6
    moved = statics.solve(efforts=[0.3 + change, 0.4]).tip - rest.tip
    assert rest.tip_jacobian[:3, 0] == pytest.approx(moved / change, abs=1e-6)
    assert rest.tip_pose[1:3, 2] == pytest.approx([-np.sin(0.3), np.cos(0.3)])


def test_a_chain_without_a_backbone_hangs_by_its_spring():
    """A mass beside a joint: its torque is that of the spring."""
    joint = ElasticJoint(X, 0.0 * Z, 1.0, mass=0.1, centre=np.array([0.0, 0.1, 0.0]))
    rest = Statics(ElasticChain((joint,))).solve()
    assert rest.converged
    (angle,) = rest.positions
    assert angle == pytest.approx(0.01 * GRAVITY[2] * np.cos(angle), rel=1e-9)


@pytest.mark.parametrize(('lower', 'upper'), [(-0.3, 0.0), (0.0, 0.3)])
def test_a_column_buckles_to_the_side_where_it_has_room(lower, upper):
    """As one without stops does, or its mirror image."""

    def tip(limits):
        joint = {'axis': [0.0, 1.0, 0.0], 'stiffness': 0.05, 'limits': limits}
        form = from_data(ManipulatorForm, {'name': 'column', 'actuators': [ten_links([joint])]})
        statics = Statics(chain_of(parts_of_manipulator(form)), gravity=NO_GRAVITY, base=LEVEL)
        rest = statics.solve(tip_force=[-0.15, 0.0, 0.0])  # by Euler 0.12 N bends it
        assert rest.converged
        return rest.tip

    free, stopped = tip({'lower': -1.0, 'upper': 1.0}), tip({'lower': lower, 'upper': upper})
    assert abs(free[2]) > 0.03
    assert np.abs(stopped) == pytest.approx(np.abs(free), abs=1e-9)
    assert stopped[2] * (lower + upper) < 0.0  # a positive angle about y leads downwards


def ten_links(joints):
    """An actuator of 10 cm."""
    link = {'shape': 'box', 'dimensions': [0.01, 0.01, 0.01], 'mass': 0.002}
    return {
        'length': 0.1, 'n_segments': 10, 'link': link, 'joints': joints, 'arrangement': 'together',
    }  # fmt: skip


def stopped_finger():
    """Ten places of two axes with stops of 0.1 rad, of which one is narrower."""
    side = {'axis': [0.0, 1.0, 0.0], 'stiffness': 0.05, 'limits': {'lower': -0.04, 'upper': 0.1}}
    grasp = {'axis': [1.0, 0.0, 0.0], 'stiffness': 0.1, 'limits': {'lower': -0.1, 'upper': 0.1}}
    form = from_data(ManipulatorForm, {'name': 'finger', 'actuators': [ten_links([grasp, side])]})
    return chain_of(parts_of_manipulator(form))


@pytest.mark.parametrize('seed', range(4))
def test_joints_stay_within_their_stops(seed):
    """Where the energy within them is least; the compliance is that of the other joints."""
    random = np.random.default_rng(seed)
    tendons = [
        Tendon.along(f't{k}', np.linspace(0.0, 0.1, 11), 0.006, 2.1 * k + seed) for k in range(3)
    ]
    statics = Statics(stopped_finger(), tendons, base=LEVEL)
    tensions, force = random.uniform(0.0, 2.0, 3), random.uniform(-0.4, 0.4, 3)
    rest = statics.solve(tensions, tip_force=force)
    lower, upper = statics.chain.limits
    pressed = (rest.positions == lower) | (rest.positions == upper)
    assert rest.converged
    assert 0 < pressed.sum() < 20
    np.testing.assert_array_equal(rest.stopped, pressed)
    assert ((rest.positions >= lower) & (rest.positions <= upper)).all()
    problem = statics.search(statics.pulls(tensions, {}), [Load(0.1, force)], np.zeros(20))
    least = minimize(
        lambda q: problem.evaluate(q)[:2], np.zeros(20), jac=True, method='L-BFGS-B',
        bounds=list(zip(lower, upper, strict=True)), options={'ftol': 1e-15, 'gtol': 1e-12},
    )  # fmt: skip
    assert rest.positions == pytest.approx(least.x, abs=1e-5)
    for way in 1e-5 * np.eye(3):
        above, below = (statics.solve(tensions, tip_force=force + s * way).tip for s in (1, -1))
        assert rest.tip_by_force @ way == pytest.approx(0.5 * (above - below), rel=1e-3, abs=1e-12)


def test_a_chain_with_all_joints_on_their_stops_is_at_rest():
    """It is rigid then, from wherever the search begins."""
    statics = Statics(stopped_finger(), gravity=NO_GRAVITY)
    for start in (None, np.full(20, 1.0)):
        rest = statics.solve(efforts=np.tile([0.5, -0.5], 10), start=start).at_rest()
        np.testing.assert_array_equal(rest.positions, np.tile([0.1, -0.04], 10))
        assert rest.stopped.all()
        assert rest.residual == 0.0
        np.testing.assert_array_equal(rest.tip_by_force, 0.0)


def test_only_a_pose_at_rest_is_one():
    """A tendon that pulls with 10 kN curls the rod up without an end."""
    statics = Statics(RUBBER.chain(20), [Tendon.along('t', DISCS, 0.008)])
    rest = statics.solve([1.0])
    assert rest.at_rest() is rest
    curled = statics.solve([1e4])
    assert not curled.converged
    with pytest.raises(SoftshellError, match=f'in {curled.steps} Newton steps: the residual is'):
        curled.at_rest()
