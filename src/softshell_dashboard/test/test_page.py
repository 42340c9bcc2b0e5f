"""The page's own code, in Node with elements that only keep what is set and who listens."""

import json
import shutil
import subprocess
from importlib import resources

import pytest

#: Drags the slider of the speed; tells what is said, and whether the slider has the focus then.
DRAG = """
import { readFileSync } from 'node:fs';

const made = (id) => Object.assign(new EventTarget(), {
  id, dataset: {}, parentElement: {}, blur() { document.activeElement = null; },
});
const elements = new Map();
globalThis.document = {
  activeElement: null,
  getElementById(id) {
    if (!elements.has(id)) elements.set(id, made(id));
    return elements.get(id);
  },
  querySelectorAll: (wanted) => wanted.split(', ').filter((one) => one.startsWith('#'))
    .map((one) => document.getElementById(one.slice(1))),
};
const code = readFileSync(process.argv[1], 'utf8');
const { Panels } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const said = [];
new Panels(Object.assign(new EventTarget(), { say: (message) => said.push(message) }));
const slider = document.getElementById('speed');
document.activeElement = slider;
slider.valueAsNumber = 1.5;
slider.oninput({ target: slider });
const held = document.activeElement === slider;
slider.dispatchEvent(new Event('change'));
console.log(JSON.stringify(said), held, document.activeElement === slider);
"""

#: Begins and queues an action while a field has no number and once it has one, and spawns a body
#: likewise; tells what is said.
NUMBERS = """
import { readFileSync } from 'node:fs';

const elements = new Map();
globalThis.document = {
  getElementById(id) {
    if (!elements.has(id)) {
      elements.set(id, Object.assign(new EventTarget(), {
        value: id, setCustomValidity(text) { this.wrong = text; }, reportValidity() {},
      }));
    }
    return elements.get(id);
  },
  querySelectorAll: () => [],
};
const code = readFileSync(process.argv[1], 'utf8');
const { Panels, by } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const said = [];
new Panels(Object.assign(new EventTarget(), { say: (message) => said.push(message) }));
const field = { name: 'distance', value: '', valueAsNumber: NaN };  // as of what is no number
let valid = false;
Object.assign(by('parameters'), {
  querySelectorAll: () => [field], reportValidity: () => valid,
});
by('ahead').valueAsNumber = 0.5;
by('height').valueAsNumber = NaN;
for (const id of ['perform', 'queue', 'spawn']) by(id).onclick();
const wrong = by('height').wrong;
valid = true;
Object.assign(field, { value: '1e0', valueAsNumber: 1 });
by('height').valueAsNumber = 0;
for (const id of ['perform', 'spawn']) by(id).onclick();
console.log(JSON.stringify([wrong, by('height').wrong, ...said]));
"""

#: Types Backspace: in a field of text, beside it, as it repeats there, and with Ctrl; tells how
#: often the robot was stopped, and how often the browser's own use was prevented.
BACKSPACE = """
import { readFileSync } from 'node:fs';

globalThis.window = new EventTarget();
globalThis.document = new EventTarget();
globalThis.setInterval = () => {};
const code = readFileSync(process.argv[1], 'utf8');
const { Drive } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

let stops = 0, prevented = 0;
const drive = new Drive({ say() {} }, null, () => { stops += 1; });
drive.keys = { names: {}, held: {}, pressed: { backspace: 'emergency_stop' } };
const told = [];
for (const given of [{ typing: true }, {}, { repeat: true }, { ctrlKey: true }]) {
  const event = Object.assign(new Event('keydown'), { key: 'Backspace', ...given });
  Object.defineProperty(event, 'target', { value: { matches: () => given.typing ?? false } });
  event.preventDefault = () => { prevented += 1; };
  window.dispatchEvent(event);
  told.push([stops, prevented]);
}
console.log(JSON.stringify(told));
"""


def run(program, page):
    """What a program prints that takes the path of a file of the page."""
    with resources.as_file(resources.files('softshell_dashboard') / f'page/{page}') as path:
        result = subprocess.run(
            ['node', '--input-type=module', '-e', program, str(path)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(not shutil.which('node'), reason='needs Node')
def test_a_slider_that_is_let_go_gives_the_keys_back_to_driving():
    """While it is dragged it keeps them."""
    assert run(DRAG, 'panels.js') == '[{"type":"speed","factor":1.5}] true false\n'


@pytest.mark.skipif(not shutil.which('node'), reason='needs Node')
def test_what_is_no_number_begins_nothing():
    """Such a field has no value, but is not one that is left empty for the default."""
    wrong, after, *said = json.loads(run(NUMBERS, 'panels.js'))
    assert (wrong, after) == ('expected a number', '')
    assert said == [
        {'type': 'perform', 'action': 'action', 'parameters': {'distance': 1}, 'queue': False},
        {'type': 'spawn', 'description': 'description', 'ahead': 0.5, 'height': 0},
    ]


@pytest.mark.skipif(not shutil.which('node'), reason='needs Node')
def test_backspace_stops_the_robot_once_unless_a_text_is_typed():
    """As Escape does, by the same request; so who watches can stop it, too."""
    assert run(BACKSPACE, 'drive.js') == '[[0,0],[1,1],[1,2],[1,2]]\n'
