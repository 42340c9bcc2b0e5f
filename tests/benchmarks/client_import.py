"""Importing the client, against rclpy with the same messages: fresh processes, in turn.

The client passes if it takes at most 1.3 times as long.
"""

import statistics
import subprocess
import sys

from _arguments import count, parser_of

RCLPY = """
import rclpy, rclpy.action, rclpy.executors, rclpy.node, rclpy.serialization
from geometry_msgs.msg import Pose, PoseStamped, Quaternion, Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from softshell_interfaces.action import ExecuteAction
from softshell_interfaces.msg import ActionDescription, ActionParameter, BridgeStatus
from softshell_interfaces.srv import ListActions, SetBodyPose
"""
CLIENT = 'from softshell_client import Shell'
TIMED = 'import time; start = time.perf_counter()\n{}\nprint(time.perf_counter() - start)'
#: The client may take so many times as long.
LIMIT = 1.3


def import_time(statements: str) -> float:
    """Time that a fresh interpreter takes for imports [s]."""
    command = [sys.executable, '-c', TIMED.format(statements)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(arguments: list[str] | None = None) -> int:
    """Print both times and their ratio.

    Returns:
        Exit status: 0 if the ratio is within the limit, or not judged; else 1.
    """
    parser = parser_of(__file__, __doc__)
    parser.add_argument('runs', type=count, nargs='?', default=15, help='default: 15')
    parser.add_argument(
        '--quick', action='store_true', help='one run, whose ratio is not judged: shows that the '
        'benchmark works',
    )  # fmt: skip
    options = parser.parse_args(arguments)
    runs = 1 if options.quick else options.runs
    import_time(RCLPY), import_time(CLIENT)  # from here on, files are in the page cache
    times = [(import_time(RCLPY), import_time(CLIENT)) for _ in range(runs)]
    plain, client = (statistics.median(column) for column in zip(*times, strict=True))
    print(f'rclpy and messages  {1e3 * plain:7.1f} ms  median of {runs}')
    print(f'softshell_client    {1e3 * client:7.1f} ms')
    print(f'ratio               {client / plain:7.2f}     expected at most {LIMIT}')
    return int(client / plain > LIMIT and not options.quick)


if __name__ == '__main__':
    sys.exit(main())
