"""Pictures by PyBullet's software renderer, which needs no display."""

import numpy as np

from softshell_sim.pybullet.quietly import pybullet
from softshell_sim.sensing.camera import LIGHT_FROM, SKY, Picture, View

#: Coefficients of the light.
AMBIENT, DIFFUSE, SPECULAR = 0.5, 0.5, 0.05


def take_picture(client: int, view: View) -> Picture:
    """A picture of the world of a client.

    PyBullet's depth d is that of OpenGL: z = far near / (far − (far − near) d).
    """
    rotation, place = view.pose[:3, :3], view.pose[:3, 3]
    looks = pybullet.computeViewMatrix(
        place.tolist(), (place + rotation[:, 2]).tolist(), (-rotation[:, 1]).tolist()
    )
    near, far, f = view.near, view.far, view.focal_length
    across, along = 0.5 * view.width * near / f, 0.5 * view.height * near / f
    # The renderer samples a pixel at its lower left corner: half a pixel moves it to the middle.
    half = 0.5 * near / f
    lens = pybullet.computeProjectionMatrix(
        half - across, half + across, half - along, half + along, near, far
    )
    _, _, pixels, depths, owners = pybullet.getCameraImage(
        view.width,
        view.height,
        looks,
        lens,
        lightDirection=LIGHT_FROM,
        lightAmbientCoeff=AMBIENT,
        lightDiffuseCoeff=DIFFUSE,
        lightSpecularCoeff=SPECULAR,
        shadow=0,
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )
    shape = view.height, view.width
    rgb = np.reshape(pixels, (*shape, 4))[..., :3].astype(np.uint8)
    depth = far * near / (far - (far - near) * np.reshape(depths, shape).astype(np.float64))
    nothing = (np.reshape(owners, shape) < 0) | (depth >= far)
    rgb[nothing], depth[nothing] = SKY, np.inf
    return Picture(rgb, depth.astype(np.float32))
