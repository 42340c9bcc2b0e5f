"""The sets of requirements, each of which is installed when a command first needs it.

Only the standard library, and any Python from 3.9: this runs before anything is installed.

A further set is one line here and `requirements/<name>.txt`, with its versions in
`constraints.txt`, or in `constraints-<name>.txt` if it is isolated. A command that needs it calls
`first_use.set_up(workspace, [name])`; a test that needs it is marked `@pytest.mark.needs(name)`; a
benchmark that needs it has it in `parts.BENCHMARK_SETS`.
"""

from collections import namedtuple

#: name: name of the set, and of its file in requirements/.
#: purpose: what it is for, in words.
#: seconds: usual time to install it, on two cores with a fast connection.
#: isolated: whether it has its own virtual environment, apart from that of the robot's programs.
#: newest_wheel: newest version of Python for which it has a wheel. Up to that version it is
#:     installed with the core set; with a newer one it is built from source when it is asked for.
#:     None: it has wheels for every version.
RequirementSet = namedtuple(
    'RequirementSet', 'name purpose seconds isolated newest_wheel', defaults=(False, None)
)

CORE = 'core'
TEST = 'test'
BENCH = 'bench'
HARDWARE = 'hardware'
PYBULLET = 'pybullet'
WEB = 'web'
STUDIES = 'studies'
SETS = {
    entry.name: entry
    for entry in (
        RequirementSet(CORE, 'walking in simulation', 60),
        RequirementSet(TEST, 'lint, types and tests', 15),
        RequirementSet('notebook', 'running the notebooks', 10),
        RequirementSet(HARDWARE, 'driving real servos', 5),
        RequirementSet(PYBULLET, 'the engine PyBullet', 5, newest_wheel=(3, 11)),
        RequirementSet(WEB, 'the page in the browser: gui:=web', 10),
        RequirementSet(STUDIES, 'studies: sweep and its reports', 10),
        RequirementSet('browser', 'testing that page in a Chromium', 5),
        RequirementSet(BENCH, 'other libraries to compare with', 50, isolated=True),
    )
}
#: The sets that tests need, without the benchmarks of the part `bench`.
TESTING = [TEST, HARDWARE, WEB, STUDIES]


def basic_sets(version):
    """Names of the sets that every command needs on a Python of this version, core first."""
    wheels = [
        entry.name
        for entry in SETS.values()
        if entry.newest_wheel is not None and tuple(version) <= entry.newest_wheel
    ]
    return [CORE, *wheels]


def check_names(names):
    """Refuse names of unknown sets.

    Raises:
        ValueError: a name is unknown; the text lists the sets.
    """
    for name in names:
        if name not in SETS:
            raise ValueError(f'unknown set {name!r}; known: {", ".join(SETS)}')
