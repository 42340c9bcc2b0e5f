"""The node of the bridge to a simulated world, with what only a simulation offers."""

from softshell_control.ros.bridge_node import BridgeNode
from softshell_sim.ros.camera_stream import CameraStream
from softshell_sim.ros.contact_stream import ContactStream
from softshell_sim.ros.world_looks import PoseStream
from softshell_sim.ros.world_services import WorldServices
from softshell_sim.sim_backend import SimBackend


class SimBridgeNode(BridgeNode):
    """A bridge with services that change, save and describe its world, contacts and cameras."""

    def _advertise(self) -> None:
        super()._advertise()
        backend = self._core.backend
        assert isinstance(backend, SimBackend)
        self._world_services = WorldServices(self, self._core)
        self._cameras = CameraStream(self, backend.world)
        self._contacts = ContactStream(self, backend.world)
        self._poses = PoseStream(self, backend.world)

    def publish_further(self) -> None:
        """Publish pictures, contacts and poses of bodies to those who subscribe."""
        stamp = self._core.now
        self._cameras.publish(stamp)
        self._contacts.publish(stamp)
        self._poses.publish(stamp)
