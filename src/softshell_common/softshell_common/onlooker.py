"""Names of nodes that only observe: the dashboard and recorders."""

#: The dashboard's node, and how the name of the node begins that sends what people ask for there.
NODE, CLIENT = 'dashboard', 'dashboard_client'
#: Niceness of the dashboard's process: nodes that move the robot come first.
NICE = 5
#: Nodes that subscribe to everything and send nothing: ours, and that of `ros2 bag record`.
RECORDERS = ('black_box', 'bag_recorder', 'rosbag2_recorder')
#: First port that is tried for the dashboard's page.
PORT = 8642
#: Smallest number of characters of the dashboard's token.
SHORTEST_TOKEN = 8
#: What the dashboard's node logs before the address of its page.
SAYS = 'open '


def address_in(node: str, line: str) -> str:
    """The address of the dashboard's page, if a line of a node's log holds it; else empty.

    Args:
        node: name of the node that logged the line.
        line: the line.
    """
    _, told, address = line.partition(f': {SAYS}')
    return address.strip() if told and node == NODE else ''
