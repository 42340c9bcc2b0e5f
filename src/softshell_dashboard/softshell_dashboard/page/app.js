// The page: connects the link to driving, panels, plots, the table of joints and the log.

import { Drive } from './drive.js';
import { Joints } from './joints.js';
import { Link } from './link.js';
import { Panels, by } from './panels.js';
import { Plots } from './plots.js';

const MOST = 200;       // most lines of the log
const READ = 5000;      // how long a refusal is shown [ms]
// The request that leads out of a state of the bridge, and the label of its button.
const WAY_OUT = {
  emergency_stop: ['reset', 'reset'],
  fault: ['clear_fault', 'clear fault'],
  inactive: ['activate', 'activate'],
};

const link = new Link();
const panels = new Panels(link);
const plots = new Plots(by('plots'));
const joints = new Joints(by('joints-panel'), by('joints'), link);
const emergencyStop = () => link.say({ type: 'bridge', request: 'emergency_stop' });
const drive = new Drive(link, by('scene'), emergencyStop);
drive.pad(by('pad-move'), (x, y) => [-y, -x, 0]);
drive.pad(by('pad-turn'), (x) => [0, 0, -x]);

by('stop').onclick = emergencyStop;
by('take').onclick = () => link.say({ type: 'take' });
by('recover').onclick = ({ target }) => link.say({ type: 'bridge', request: target.value });

// The scene is loaded under the other name of this machine: a browser runs a frame of another site
// in a process of its own, so that drawing never delays a key.
const OTHER_NAME = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' };
let sceneAddress = '';
let refusal = 0;
link.addEventListener('open', () => {
  by('lost').hidden = true;
  by('log').replaceChildren();
  plots.clear();
  sceneAddress = '';     // the scene does not reconnect by itself: load it again
});
link.addEventListener('lost', () => {
  by('lost').hidden = false;
  drive.release();
});
link.addEventListener('offer', ({ detail }) => {
  drive.keys = detail.keys;
  panels.offer(detail);
  if (detail.scene !== sceneAddress) {
    sceneAddress = detail.scene;
    const name = OTHER_NAME[location.hostname] ?? location.hostname;
    by('scene').src = `//${name}${location.port && `:${location.port}`}${sceneAddress}`;
  }
});
link.addEventListener('state', ({ detail }) => {
  const { you, robot } = detail;
  drive.again();
  panels.state(you, robot);
  health(robot);
  by('numbers').textContent = numbers(robot);
  plots.add(detail.plots);
  if (detail.joints) joints.show(detail.joints);
  log(detail.log);
});
link.addEventListener('refused', ({ detail }) => {
  by('refused').textContent = detail.text;
  by('refused').hidden = false;
  clearTimeout(refusal);
  refusal = setTimeout(() => { by('refused').hidden = true; }, READ);
});
link.addEventListener('picture', ({ detail }) => {
  const image = by('camera');
  const before = image.src;
  image.src = URL.createObjectURL(detail);
  image.hidden = by('cameras').value === '';
  if (before) URL.revokeObjectURL(before);
});

function health(robot) {
  const badge = by('health');
  by('name').textContent = robot.name || 'softshell';
  badge.textContent = `${robot.bridge || 'bridge'}: ${robot.state.replace('_', ' ')}`;
  badge.title = robot.reasons.join('\n');
  const bad = ['fault', 'emergency_stop', 'absent'].includes(robot.state);
  const good = ['holding', 'executing'].includes(robot.state);
  badge.className = `badge ${bad ? 'bad' : good ? 'good' : ''}`;
  by('mode').textContent = robot.mode;
  const [request, label] = WAY_OUT[robot.state] ?? ['', ''];
  Object.assign(by('recover'), { hidden: !request, value: request, textContent: label });
}

function numbers({ base, posture, state, margin, real_time_factor: factor, temperature }) {
  const lines = [];
  if (base && Object.values(base).every((value) => value !== null)) {
    const { x, y, z, yaw } = base;
    lines.push(`x ${x.toFixed(3)}  y ${y.toFixed(3)}  z ${z.toFixed(3)} m  yaw ${degrees(yaw)}`);
  }
  if (posture && state !== 'executing') {      // it is not updated while the robot walks
    lines.push(`height ${posture.z.toFixed(3)} m  roll ${degrees(posture.roll)}`
      + `  pitch ${degrees(posture.pitch)}`);
  }
  if (margin !== null) lines.push(`stability margin ${margin.toFixed(3)} m`);
  if (factor !== null) lines.push(`real-time factor ${factor.toFixed(2)}`);
  if (temperature !== null) lines.push(`hottest motor ${temperature.toFixed(0)} °C`);
  return lines.join('\n');
}

// An angle [rad] as text in degrees: one digit, and no minus sign before zero.
function degrees(angle) {
  return `${(Math.round((angle * 1800) / Math.PI) / 10 + 0).toFixed(1)}°`;
}

function log(entries) {
  const list = by('log');
  for (const entry of entries) {
    const time = new Date(entry.time * 1000).toLocaleTimeString();
    const again = entry.count > 1 ? ` (${entry.count} times)` : '';
    const item = document.createElement('li');
    item.className = entry.kind;
    item.append(Object.assign(document.createElement('time'), { textContent: time }),
      `${entry.kind}: ${entry.text}${again}`);
    if (entry.count > 1 && list.firstChild?.dataset.text === entry.text) list.firstChild.remove();
    item.dataset.text = entry.text;
    list.prepend(item);
  }
  while (list.children.length > MOST) list.lastChild.remove();
}
