"""Definitions of a finger, of a star and of SoMo, as data, and changes of them."""

import json

import numpy as np

LINK = {'shape': 'stadium', 'dimensions': [0.023, 0.017, 0.01], 'mass': 0.003}
GRASP = {
    'axis': [1.0, 0.0, 0.0],
    'stiffness': 0.2,
    'damping': 0.004,
    'neutral_axis': [0, 0.006, 0],
}
SIDE = {'axis': [0.0, 1.0, 0.0], 'stiffness': 1.0, 'friction': 0.001}
FINGER = {
    'name': 'finger',
    'base': {'shape': 'box', 'dimensions': [0.03, 0.03, 0.01], 'mass': 0.02},
    'actuators': [
        {'length': 0.1, 'n_segments': 10, 'link': LINK, 'joints': [GRASP, SIDE]},
        {
            'length': 0.03, 'n_segments': 3, 'link': LINK, 'joints': [GRASP, SIDE],
            'arrangement': 'together',
        },
        {
            'length': 0.02, 'n_segments': 2, 'link': LINK, 'joints': [SIDE, GRASP],
            'arrangement': 'listed',
        },
    ],
    'tips': [{'shape': 'sphere', 'dimensions': [0.007], 'mass': 0.001}],
}  # fmt: skip
STAR = {
    'name': 'star',
    'members': [
        {'name': 'body', 'link': {'shape': 'cylinder', 'dimensions': [0.02, 0.04], 'mass': 0.1}},
        *(
            {
                'name': f'arm_{k}', 'manipulator': FINGER, 'parent': 'body',
                'pose': [0.04 * np.cos(k), 0.04 * np.sin(k), -0.01, 0.0, 1.5, float(k)],
            }
            for k in range(5)
        ),
    ],
}  # fmt: skip
SOMO = {
    'manipulator_name': 'two_axes', 'urdf_filename': 'two_axes.urdf', 'n_act': 1,
    'actuator_definitions': [
        {
            'actuator_length': 2.0, 'n_segments': 10, 'planar_flag': 0,
            'link_definition': {
                'shape_type': 'box', 'dimensions': [0.46, 0.34, 0.2], 'mass': 0.00294,
                'inertial_values': [0.0152, 0, 0, 0.0152, 0, 0.0152],
                'material_color': [0.5, 0.4, 0.7, 1.0], 'material_name': 'purple',
            },
            'joint_definitions': [
                {
                    'joint_type': 'revolute', 'axis': [1, 0, 0], 'limits': [-3.14, 3.14, 100, 3],
                    'spring_stiffness': 87.43, 'joint_neutral_position': 0,
                    'neutral_axis_offset': [0.0, 0.12, 0.0, 0.0, 0.0, 0.0],
                    'joint_control_limit_force': 0.4,
                },
                {
                    'joint_type': 'revolute', 'axis': [0, 1, 0], 'limits': [-3.14, 3.14, 100, 3],
                    'spring_stiffness': 414.86,
                },
            ],
        }
    ],
    'base_definition': {
        'shape_type': 'box', 'dimensions': [0.64, 0.64, 0.2], 'mass': 0.6,
        'inertial_values': [1, 0, 0, 1, 0, 1],
        'material_color': [0.5, 0.4, 0.7, 1.0], 'material_name': 'purple',
    },
    'tip_definitions': [],
}  # fmt: skip


def changed(data, path, value):
    """Data with another entry; `...` as the value leaves it out."""
    copy = json.loads(json.dumps(data))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copy
