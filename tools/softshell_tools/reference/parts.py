"""Which classes and functions have a section in the pages on Python, page by page."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """Classes and functions that are used together, which have a page.

    Args:
        file: name of the page's file.
        title: what they are for.
        introduction: what to read besides, in Markdown.
        names: their names, by the module from which they are imported.
        given: those that programs are given, and do not make.
        inner: public methods that only our own code calls, by class.
    """

    file: str
    title: str
    introduction: str
    names: Mapping[str, tuple[str, ...]]
    given: tuple[str, ...] = ()
    inner: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


PARTS = (
    Part(
        'client.md',
        'Python: a running robot',
        'With a stack that runs, in simulation or on servos, a program imports `Shell` and moves '
        'the robot: [an example](../../examples/04_shell.py). `Client` is for programs that do '
        'not wait. `Stack` starts and ends all nodes itself; it takes the '
        '[arguments](arguments.md) of `./softshell up`. All of this needs ROS.',
        {
            'softshell_client': (
                'Shell', 'Client', 'BridgeState', 'BridgeMode', 'Status', 'ActionFailedError',
                'RequestRefusedError', 'ServerGoneError', 'SoftshellError',
            ),
            'softshell_client.ros.execution': ('Execution',),
            'softshell_client.ros.asking': ('Question',),
            'softshell_client.ros.servos': ('ask',),
            'softshell_bringup.runner': ('Stack', 'NotReadyError'),
            'softshell_bringup.nodes': ('NodeRow',),
            'softshell_bringup.processes': ('ProcessDiedError',),
            'softshell_bringup.domain': ('DomainBusyError',),
            'softshell_common.onlooker': ('address_in',),
        },
        given=('BridgeState', 'Execution', 'Question', 'NodeRow'),
    ),
    Part(
        'world.md',
        'Python: a simulated world without ROS',
        '`World` moves joints: [an example](../../examples/01_world.py). `CommandedRobot` '
        'performs actions: [an example](../../examples/21_roll.py). Explained in '
        '[simulation.md](../simulation.md). Quaternions are x, y, z, w.',
        {
            'softshell_description.load': ('load_robot',),
            'softshell_description.model': ('RobotModel',),
            'softshell_studies.commanded_robot': ('CommandedRobot',),
            'softshell_sim.world': ('World',),
            'softshell_sim.settings': ('WorldSettings',),
            'softshell_sim.sensing.sensor_settings': ('load_sensors',),
            'softshell_sim.changing.changes': (
                'Spawn', 'Remove', 'Place', 'Push', 'SetSurface', 'SetPadding',
            ),
            'softshell_sim.changing.drive': ('Drive', 'Release'),
            'softshell_sim.bodies': ('ObjectSpec', 'BodyState', 'Surface'),
            'softshell_sim.shapes': (
                'Box', 'Sphere', 'Cylinder', 'Capsule', 'Plane', 'HeightField', 'Compound',
            ),
            'softshell_sim.scenes.terrain': ('ramp', 'stairs', 'rubble', 'height_field', 'laid'),
            'softshell_sim.scenes.scene_file': ('read_scene',),
            'softshell_sim.batch': ('run_batch', 'Outcome'),
            'softshell_control.ball.cage': ('cage_of', 'Cage', 'Panel'),
            'softshell_control.drives.identify': (
                'read_record', 'StepRecord', 'identify', 'Identified',
            ),
        },
        given=('RobotModel', 'Outcome', 'Cage', 'Panel', 'Identified'),
        inner={
            'CommandedRobot': (
                'solve', 'measure', 'tilt', 'holds', 'driven', 'disturbed', 'send', 'run',
                'sleep', 'adapted', 'late',
            ),
            'Drive': ('first_way_problems', 'start', 'path'),
        },
    ),
    Part(
        'engines.md',
        'Python: engines and contacts',
        'A physics engine without a robot: bodies, joints, contacts. Explained in '
        '[contacts.md](../contacts.md), with an example, and in [engines.md](../engines.md); '
        '[add-an-engine.md](../add-an-engine.md) lists what an engine has to have. Shapes and '
        'surfaces are on the page of [worlds](world.md).',
        {
            'softshell_sim.physics.engines': ('make_engine', 'default_engine'),
            'softshell_sim.physics.engine_settings': ('EngineSettings',),
            'softshell_sim.physics.engine': ('Engine',),
            'softshell_sim.bodies': ('RobotSpec', 'Body', 'Contact', 'Gap', 'RayHit'),
            'softshell_sim.contact.contact_table': ('ContactTable',),
            'softshell_sim.contact.feedback': ('ContactFeedback', 'ContactReport', 'PairFeedback'),
            'softshell_sim.contact.clusters': ('cluster',),
            'softshell_sim.contact.surfaces': ('blend', 'SurfaceResidual'),
            'softshell_sim.contact.anisotropic_friction': ('AnisotropicFriction',),
            'softshell_sim.stability': ('Stability', 'Status'),
            'softshell_sim.sensing.camera': ('View', 'Picture'),
        },
        given=(
            'Engine', 'Body', 'Contact', 'Gap', 'RayHit', 'ContactTable', 'ContactReport',
            'PairFeedback', 'SurfaceResidual', 'Picture',
        ),
        inner={'Engine': ('implicit_mass',), 'ContactTable': ('empty',)},
    ),
    Part(
        'soft.md',
        'Python: soft rods and manipulators',
        'A definition, a chain of it, and its shape at rest under tendons need no engine: '
        '[an example](../../examples/10_soft_finger.py), which then simulates it as a '
        '`SoftBody`. Explained in [continuum.md](../continuum.md); the entries of definitions '
        'in files are on the page of [files](files.md#soft-manipulator).',
        {
            'softshell_continuum.forms': (
                'ManipulatorForm', 'ActuatorForm', 'Arrangement', 'LinkForm', 'MaterialForm',
                'JointForm', 'JointKind', 'JointLimits', 'DiscForm', 'AssemblyForm', 'MemberForm',
            ),
            'softshell_continuum.shapes': ('Shape',),
            'softshell_continuum.files': ('from_data', 'to_data', 'read', 'write'),
            'softshell_continuum.somo': ('from_somo',),
            'softshell_continuum.scaling': ('WorldScale',),
            'softshell_continuum.parts': (
                'parts_of_manipulator', 'parts_of_assembly', 'Part', 'Solid',
            ),
            'softshell_continuum.urdf': ('urdf',),
            'softshell_continuum.elastic_chain': ('chain_of', 'ElasticChain', 'ElasticJoint'),
            'softshell_continuum.rod': ('Rod',),
            'softshell_continuum.rod_form': ('rod_form',),
            'softshell_continuum.tendon': ('Tendon',),
            'softshell_continuum.statics': ('Statics', 'Load'),
            'softshell_continuum.equilibrium': ('Equilibrium',),
            'softshell_continuum.inverse': ('tensions_for', 'InverseSolution'),
            'softshell_continuum.workspace': ('workspace', 'Workspace'),
            'softshell_sim.soft.body': ('SoftBody',),
            'softshell_sim.soft.base': ('Base',),
            'softshell_sim.soft.member': ('SoftMember',),
            'softshell_continuum.calibration': (
                'joint_stiffness', 'actuation_moment', 'blocked_force', 'Formula',
            ),
            'softshell_continuum.recordings': (
                'tip_stiffness', 'stiffness_by_deflections', 'modulus_by_deflections',
                'moment_by_blocked_forces', 'moment_by_angles', 'Calibrated',
            ),
            'softshell_continuum.fits': (
                'proportion', 'LineFit', 'root', 'RootFit', 'fit', 'ModelFit',
            ),
            'softshell_continuum.plots': ('calibration_plot', 'root_plot', 'fit_plot'),
            'softshell_continuum.measured_rod': ('measured_rod', 'Trial'),
        },
        given=(
            'Part', 'Solid', 'Equilibrium', 'InverseSolution', 'Workspace', 'SoftMember',
            'Calibrated', 'LineFit', 'RootFit', 'ModelFit', 'Trial',
        ),
        inner={
            'Statics': ('search', 'pulls'), 'SoftBody': ('add_to',), 'SoftMember': ('kinds_of',),
        },
    ),
    Part(
        'planning.md',
        'Python: actions and planning',
        'A `Rehearsal` plans actions without a robot and without ROS: '
        '[an example](../../examples/03_plan.py). Explained in [motions.md](../motions.md) and '
        'in [the action language](../action-language.md).',
        {
            'softshell_actions.rehearsal': (
                'Rehearsal', 'Part', 'RequirementError', 'joined', 'length',
            ),
            'softshell_actions.performing.call': ('Call',),
            'softshell_actions.planning.draft': ('Plan',),
            'softshell_actions.trajectories.motion': ('Motion',),
            'softshell_actions.state': ('State', 'Stance'),
            'softshell_actions.robot': ('body_of', 'Body'),
            'softshell_actions.library': ('ActionLibrary', 'ParameterError'),
            'softshell_actions.held': ('held_against', 'durations', 'Held'),
            'softshell_actions.facts': ('Facts',),
            'softshell_actions.trajectories.pacing': ('joint_limits_of',),
            'softshell_actions.trajectories.joint_limits': ('JointLimits', 'peak', 'Peak'),
            'softshell_actions.trajectories.fastest': ('fastest',),
            'softshell_actions.trajectories.timing': ('shortest', 'Timed'),
        },
        given=('Part', 'Call', 'Plan', 'State', 'Stance', 'Body', 'Held', 'Peak', 'Timed'),
        inner={
            'Rehearsal': ('solved',),
            'Body': ('planner', 'pacing'),
            'Call': (
                'value', 'with_move', 'slowed', 'shortened', 'veered', 'lower', 'paced', 'halting',
                'follows_on', 'landing',
            ),
            'State': ('feet_rolling', 'time_stood', 'with_joints'),
            'ActionLibrary': ('path', 'problem', 'choose'),
        },
    ),
    Part(
        'bridge.md',
        'Python: a bridge or a controller of your own',
        'A bridge is explained in [add-a-bridge.md](../add-a-bridge.md), with '
        '[an example](../../examples/08_bridge.py); its parameters are on the page of '
        '[parameters](parameters.md). A controller is a class that `controllers` '
        'of [`robot.yaml`](files.md#robot) names as `module:Class`; it is called with a '
        '`RobotModel`, the `Limits` of its channels and the control period [s], and returns a '
        '`Controller`. Its commands pass [the gate](../gate.md), as those of trajectories do. '
        '[rolling.md](../rolling.md) explains the one that rolls Shell.',
        {
            'softshell_control.backend': (
                'Backend', 'Measured', 'StopPolicy', 'BaseState', 'ImuSample', 'FootContacts',
                'LinkContacts',
            ),
            'softshell_control.fault': ('FaultError', 'RefusalError'),
            'softshell_control.joint_map': ('JointMap',),
            'softshell_control.ros.bridge_node': ('BridgeNode',),
            'softshell_common.ros.run': ('run',),
            'softshell_common.entry': ('run_node',),
            'softshell_control.controller': ('Controller', 'Reference'),
            'softshell_common.reason': ('Reason',),
            'softshell_control.gate': ('gate', 'Command'),
            'softshell_control.channel': ('limits_of', 'Limits', 'Channel'),
            'softshell_control.estimates.leg_odometry': ('LegOdometry',),
            'softshell_description.form': ('ChannelKind',),
        },
        given=('Measured',),
        inner={
            'Measured': ('zero', 'write_known', 'check'),
            'BridgeNode': ('begin_ending', 'is_ending', 'publish_further'),
        },
    ),
    Part(
        'servos.md',
        'Python: servos',
        'A bus of servos without ROS, real or emulated: '
        '[an example](../../examples/45_servo_bus.py). Explained in '
        '[hardware.md](../hardware.md), as are wiring files.',
        {
            'softshell_hardware.wiring.config': ('load_hardware', 'HardwareConfig'),
            'softshell_hardware.bus.bus': ('ServoBus',),
            'softshell_hardware.search.scan': ('sweeps', 'scan', 'Found'),
            'softshell_hardware.search.homing': ('Homing',),
            'softshell_hardware.search.calibrate': ('calibrate',),
            'softshell_hardware.emulator.robot': ('EmulatedRobot',),
        },
        given=('HardwareConfig', 'Found'),
    ),
    Part(
        'recording.md',
        'Python: recordings and reports',
        'Bags of a running robot, and what is in them as arrays: '
        '[recording](../../examples/05_record.py), [reports](../../examples/14_report.py), '
        '[replaying](../../examples/15_replay.py). Explained in [recording.md](../recording.md).',
        {
            'softshell_recording.ros.recorder': ('Recorder',),
            'softshell_recording.recording': ('Recording', 'BasePath', 'BodyPath'),
            'softshell_recording.ros.record': ('record', 'recording_to', 'Progress'),
            'softshell_recording.selection': ('Selection',),
            'softshell_recording.bag': ('BagError',),
            'softshell_recording.ros.replay': ('replay',),
            'softshell_recording.report.log': ('read_log', 'Log', 'Touch', 'Event'),
            'softshell_recording.report.health': ('Health', 'Temperatures'),
            'softshell_recording.report.analysis': (
                'distance', 'energy', 'Energy', 'feet_motion', 'FeetMotion', 'cost_of_transport',
            ),
            'softshell_recording.report.write': ('write_report',),
        },
        given=(
            'Recording', 'BasePath', 'BodyPath', 'Progress', 'Log', 'Touch', 'Event', 'Health',
            'Temperatures', 'Energy', 'FeetMotion',
        ),
        inner={'Recorder': ('received',)},
    ),
    Part(
        'studies.md',
        'Python: studies and learning',
        'Studies are explained in [studies.md](../studies.md), with '
        '[an example](../../examples/12_study.py), tasks and policies in '
        '[learning.md](../learning.md), with [an example](../../examples/13_environment.py). What '
        'scenarios vary and measure is on the page of [scenarios](scenarios.md), what tasks '
        'observe and reward on that of [tasks](tasks.md).',
        {
            'softshell_studies.study.study': ('read_study', 'Study', 'Run'),
            'softshell_studies.study.sweep': ('sweep',),
            'softshell_studies.study.optimise': ('optimise', 'Found'),
            'softshell_studies.study.batches': ('Progress',),
            'softshell_studies.study.results': ('Results',),
            'softshell_studies.report.runs': ('read_runs', 'Runs'),
            'softshell_studies.study.scenario': ('scenario_of', 'Scenario', 'Metric'),
            'softshell_studies.gym': ('make_task', 'scripted'),
            'softshell_studies.gym.tasks': ('entry_of',),
            'softshell_studies.gym.environment': ('TaskEnvironment',),
            'softshell_studies.gym.task': ('Task', 'Part'),
            'softshell_studies.gym.soft_task': ('SoftTask', 'SoftForm'),
            'softshell_studies.gym.robot_task': ('RobotTask',),
            'softshell_studies.gym.wiring': ('Wiring', 'Sensed', 'wiring_of'),
            'softshell_studies.gym.policy': (
                'Policy', 'Network', 'load_policy', 'save_policy', 'trained',
            ),
            'softshell_studies.gym.policy_check': ('wired_policy',),
            'softshell_studies.gym.score': ('play', 'scores', 'mean_score', 'Episode'),
            'softshell_studies.gym.train': ('train', 'Training', 'Generation'),
            'softshell_studies.gym.imitate': ('imitate',),
            'softshell_studies.film': ('view_from',),
        },
        given=(
            'Study', 'Run', 'Progress', 'Results', 'Runs', 'Scenario', 'Metric', 'Sensed',
            'Episode', 'Found', 'Generation',
        ),
        inner={
            'Results': ('add', 'close'),
            'Network': ('of_numbers',),
            'Training': ('refuse_wrong',),
        },
    ),
    Part(
        'kinematics.md',
        'Python: kinematics',
        'Needs no ROS: [examples](../../src/softshell_kinematics/README.md). Explained in '
        '[kinematics.md](../kinematics.md).',
        {
            'softshell_kinematics': (
                'chain_from_urdf', 'chains_to_leaves', 'read_urdf', 'parse_urdf', 'Urdf',
                'chain_from_dh', 'DhRow', 'chain_from_screws', 'Screw', 'SerialChain', 'Joint',
                'JointKind', 'Coupling', 'solve_ik', 'Limbs', 'Search', 'ParallelMechanism',
                'MechanismSearch', 'IkOptions', 'IkResult', 'LimbsResult', 'MechanismResult',
                'IkStatus', 'shortfall_of', 'first_shortfall', 'Shortfall', 'geometric_jacobian',
                'analytic_jacobian', 'base_reach', 'BaseReach', 'support_polygon', 'static_margin',
                'OutOfRangeError', 'NonFiniteError', 'UnknownNameError', 'ProblemsError',
            ),
            'softshell_kinematics.transforms': (
                'transform', 'shift', 'inverse', 'rotation_about', 'rotation_from_quaternion',
                'quaternion_from_rotation', 'rotation_from_angles', 'angles_from_rotation',
                'pose_from_coordinates', 'coordinates_from_pose',
            ),
        },
        given=(
            'IkResult', 'LimbsResult', 'MechanismResult', 'Search', 'MechanismSearch', 'Shortfall',
            'BaseReach', 'Urdf',
        ),
        inner={
            'SerialChain': ('beyond',),
            'Limbs': ('arguments', 'arguments_of_one', 'refuse_wrong'),
        },
    ),
)  # fmt: skip
