"""A client of the services of a simulated world, and changes to ask for."""

from bridge_process import Client
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3, Wrench

from softshell_interfaces.msg import WorldChange
from softshell_interfaces.srv import ChangeWorld, GetWorld


class WorldClient(Client):
    """Calls the services of a world."""

    def ask(self, kind, service, **values):
        """Call a service; returns the answer."""
        if service not in self.services:
            self.services[service] = self.node.create_client(kind, f'bridge/{service}')
        client = self.services[service]
        self.wait(client.service_is_ready, service)
        return self.result(client.call_async(kind.Request(**values)), service)

    def change(self, *changes):
        return self.ask(ChangeWorld, 'change_world', changes=list(changes))

    def bodies(self):
        """All bodies, by name."""
        return {body.name: body for body in self.ask(GetWorld, 'get_world').bodies}

    def numbers(self):
        """Every number of every body."""
        return str(self.ask(GetWorld, 'get_world').bodies)


def spawn(name, description, x=0.0, z=1.0):
    pose = Pose(position=Point(x=x, z=z), orientation=Quaternion(w=1.0))
    return WorldChange(kind=WorldChange.SPAWN, body=name, description=description, pose=pose)


def change(kind, body, **more):
    return WorldChange(kind=kind, body=body, **more)


def push(body, x, duration=0.1, **more):
    wrench = Wrench(force=Vector3(x=x))
    return WorldChange(kind=WorldChange.PUSH, body=body, wrench=wrench, duration=duration, **more)
