"""Who only looks on: the page in the browser, as others know it, and recorders."""

#: Its node, and how the name of that begins by which it asks: it sends what people ask for alone.
NODE, CLIENT = 'dashboard', 'dashboard_client'
#: How much later the turn of its process comes than that of those who move the robot.
NICE = 5
#: Nodes that listen to everything and do nothing of it: ours, and that of `ros2 bag record`.
RECORDERS = ('black_box', 'bag_recorder', 'rosbag2_recorder')
#: Characters that its token has at least.
SHORTEST_TOKEN = 8
#: What its node says before the address of the page.
SAYS = 'open '


def address_in(node: str, line: str) -> str:
    """The address of the page, if a line of a node's log tells it; else empty.

    Args:
        node: whose log it is.
        line: of it.
    """
    _, told, address = line.partition(f': {SAYS}')
    return address.strip() if told and node == NODE else ''
