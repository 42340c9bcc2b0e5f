"""The scene of MuJoCo's window besides the bodies: a chequered floor, a sky, a lamp."""

from typing import Any

import mujoco

#: Name of the material of planes, and of its texture.
CHEQUERED = 'chequered'
#: Repetitions of the texture, of two by two tiles, per metre of floor.
PAIRS = 2.0


def decorate(spec: Any) -> None:
    """Add floor, sky and lamp to a model; they do not change its physics."""
    kinds, made = mujoco.mjtTexture, mujoco.mjtBuiltin
    spec.add_texture(
        name=CHEQUERED, type=kinds.mjTEXTURE_2D, builtin=made.mjBUILTIN_CHECKER,
        rgb1=[0.93, 0.93, 0.92], rgb2=[0.79, 0.82, 0.84], width=128, height=128,
    )  # fmt: skip
    spec.add_texture(
        name='sky', type=kinds.mjTEXTURE_SKYBOX, builtin=made.mjBUILTIN_GRADIENT,
        rgb1=[0.85, 0.9, 0.95], rgb2=[1.0, 1.0, 1.0], width=64, height=384,
    )  # fmt: skip
    material = spec.add_material(name=CHEQUERED, texuniform=True, texrepeat=[PAIRS, PAIRS])
    textures = list(material.textures)
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = CHEQUERED
    material.textures = textures
    light = spec.visual.headlight
    light.ambient, light.diffuse, light.specular = [0.3] * 3, [0.2] * 3, [0.0] * 3
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[-0.6, 0.9, -1.6], pos=[0.0, 0.0, 5.0],
        diffuse=[0.55] * 3, ambient=[0.0] * 3, specular=[0.1] * 3, castshadow=False,
    )  # fmt: skip
