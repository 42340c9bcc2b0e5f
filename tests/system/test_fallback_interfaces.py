"""The interface packages that stand in for absent ones are the upstream types to any peer.

A peer compares the hash of a type's description (REP 2011), so equal hashes are equal types. The
hashes here were made by rosidl from the definitions of the jazzy branches of ros2/geometry2
(tf2_msgs 0.36) and ros-controls/control_msgs (5.8).
"""

import json
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix

ROOT = Path(__file__).resolve().parents[2]
UPSTREAM = {
    'control_msgs/msg/DynamicJointState': (
        'RIHS01_18024c98a62697680f581108eeed40b28fb4542fa0ac5a8e36f56c62b6813d26'
    ),
    'control_msgs/msg/InterfaceValue': (
        'RIHS01_74a12144ef6b7af67533195cb30f7f607d3301b66950208a72d280695f3e190c'
    ),
    'control_msgs/action/FollowJointTrajectory': (
        'RIHS01_738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6'
    ),
    'control_msgs/action/FollowJointTrajectory_Feedback': (
        'RIHS01_3fd0aaecf71725121ae1ff7f01098a5e0da581e672be18a6b2c286cb43d96b49'
    ),
    'control_msgs/action/FollowJointTrajectory_FeedbackMessage': (
        'RIHS01_80398fcb9674a79081a9906e2ccf0c804dd7cb15e22e362e606ee87186beab71'
    ),
    'control_msgs/action/FollowJointTrajectory_GetResult': (
        'RIHS01_e3ceb38e3e1867c8dc0f46014df26e90eb93422f27e9e97f936e07f94be4bc8b'
    ),
    'control_msgs/action/FollowJointTrajectory_GetResult_Event': (
        'RIHS01_43161a489e52daaa5bbc2fa74f73f1804d099574fcf8f819170807d75472662a'
    ),
    'control_msgs/action/FollowJointTrajectory_GetResult_Request': (
        'RIHS01_ecf7ea8463d3beec7084bca75216d0b01b87b6e1e4e09679bb26093041efcbe9'
    ),
    'control_msgs/action/FollowJointTrajectory_GetResult_Response': (
        'RIHS01_08eefbaa146ce02ba45898d5e99160afd6c4c54a30d159aee0f2ca6035b1580f'
    ),
    'control_msgs/action/FollowJointTrajectory_Goal': (
        'RIHS01_8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205'
    ),
    'control_msgs/action/FollowJointTrajectory_Result': (
        'RIHS01_8002e99ed2c14c6faa522f2a93c26d744c5982f254f9e98ff9c6f19789bdb220'
    ),
    'control_msgs/action/FollowJointTrajectory_SendGoal': (
        'RIHS01_b13789dddc325a7a962825c45e28c77d37237ec129dd0c34dc5994562938c57f'
    ),
    'control_msgs/action/FollowJointTrajectory_SendGoal_Event': (
        'RIHS01_906dd566308db02673c73c654f69bdd84738589629c1bc2841ddb49059ed1c6f'
    ),
    'control_msgs/action/FollowJointTrajectory_SendGoal_Request': (
        'RIHS01_179c93691f1f6d1d115881ff88c3917b7cc6eac2ba4bf56766cc7c4389e19ef1'
    ),
    'control_msgs/action/FollowJointTrajectory_SendGoal_Response': (
        'RIHS01_e6a48ba740ae254500129a877f0b071be8663a115da1a539b74599cc97921fbf'
    ),
    'control_msgs/msg/JointComponentTolerance': (
        'RIHS01_739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4'
    ),
    'control_msgs/msg/JointTolerance': (
        'RIHS01_c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648'
    ),
    'tf2_msgs/msg/TFMessage': (
        'RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087'
    ),
}


def prefix_of(package: str) -> Path:
    """Where a package that ./softshell has built is installed; skips where ROS brings it."""
    prefix = Path(get_package_prefix(package))
    if ROOT / 'install' not in prefix.parents:
        pytest.skip(f'{package} is installed with ROS')
    return prefix


def hashes_of(prefix: Path, package: str) -> dict[str, str]:
    """Hashes of the types that a package defines, by type, from its type descriptions."""
    found = {}
    for file in (prefix / 'share' / package).rglob('*.json'):
        for entry in json.loads(file.read_text()).get('type_hashes', ()):
            if entry['type_name'].startswith(f'{package}/'):
                found[entry['type_name']] = entry['hash_string']
    return found


@pytest.mark.parametrize('package', ['control_msgs', 'tf2_msgs'])
def test_the_types_are_those_of_upstream(package):
    """Every type of the package, and no other, has the hash of upstream's."""
    expected = {name: text for name, text in UPSTREAM.items() if name.startswith(f'{package}/')}
    assert hashes_of(prefix_of(package), package) == expected


def test_the_constants_are_those_of_upstream():
    """Constants are no part of the hash."""
    prefix_of('control_msgs')
    from control_msgs.action import FollowJointTrajectory
    from control_msgs.msg import JointComponentTolerance

    result = FollowJointTrajectory.Result
    names = ('SUCCESSFUL', 'INVALID_GOAL', 'INVALID_JOINTS', 'OLD_HEADER_TIMESTAMP',
             'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED')  # fmt: skip
    assert [getattr(result, name) for name in names] == [0, -1, -2, -3, -4, -5]
    names = ('X_AXIS', 'Y_AXIS', 'Z_AXIS', 'TRANSLATION', 'ROTATION')
    assert [getattr(JointComponentTolerance, name) for name in names] == [1, 2, 3, 4, 5]
