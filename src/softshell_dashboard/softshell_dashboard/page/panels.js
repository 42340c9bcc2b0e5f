// The panels, built from what the robot offers, so that a new action appears by itself.

const DEGREES = 180 / Math.PI;

export const by = (id) => document.getElementById(id);

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function options(select, names) {
  renew(select, names.join(), () => select.append(...names.map(option)));
}

function option(name) {
  return made('option', { value: name, textContent: name });
}

// Fill a container again only if its content (key) has changed, so that a person who is using it is
// not disturbed.
function renew(container, key, fill) {
  if (container.dataset.key === key) return;
  container.dataset.key = key;
  container.replaceChildren();
  fill();
}

// Whether a field has a number; one that has none says so.
function hasNumber(field) {
  const has = Number.isFinite(field.valueAsNumber);
  field.setCustomValidity(has ? '' : 'expected a number');
  if (!has) field.reportValidity();
  return has;
}

export class Panels {
  constructor(link) {
    this.link = link;
    this.actions = new Map();
    by('action').onchange = () => this.#choose();
    by('perform').onclick = () => this.#perform(false);
    by('queue').onclick = () => this.#perform(true);
    by('cancel').onclick = () => link.say({ type: 'cancel' });
    by('parameters').onsubmit = (event) => { event.preventDefault(); this.#perform(false); };
    by('gait').onchange = ({ target }) => link.say({ type: 'gait', name: target.value });
    by('speed').oninput = ({ target }) => {
      link.say({ type: 'speed', factor: target.valueAsNumber });
    };
    this.camera = '';
    by('cameras').onchange = ({ target }) => {
      this.camera = target.value;
      this.#askForPictures();
    };
    link.addEventListener('open', () => this.#askForPictures());
    link.addEventListener('lost', () => { by('camera').hidden = true; });
    // After a choice, keys go to driving again and not to the list or the slider.
    for (const chooser of document.querySelectorAll('select, #speed')) {
      chooser.addEventListener('change', () => chooser.blur());
    }
    for (const id of ['follow', 'contacts']) {
      by(id).onchange = () => link.say({
        type: 'view', follow: by('follow').checked, contacts: by('contacts').checked,
      });
    }
    by('kind').onchange = () => this.#chooseBody();
    by('spawn').onclick = () => {
      if (!['ahead', 'height'].every((id) => hasNumber(by(id)))) return;
      link.say({
        type: 'spawn',
        description: by('description').value,
        ahead: by('ahead').valueAsNumber,
        height: by('height').valueAsNumber,
      });
    };
  }

  // Show a new offer: what the robot can do.
  offer(offer) {
    this.actions = new Map(offer.actions.map((action) => [action.name, action]));
    const chosen = by('action').value;
    options(by('action'), [...this.actions.keys()]);
    if (this.actions.has(chosen)) by('action').value = chosen;
    this.#choose();
    by('action-panel').hidden = !offer.ready;
    options(by('gait'), offer.gaits);
    by('gait').parentElement.hidden = offer.gaits.length < 2;
    by('modes').replaceChildren(...Object.entries(offer.modes).map(([label, action]) => made(
      'button',
      {
        textContent: label,
        title: this.actions.get(action)?.description ?? '',
        onclick: () => this.link.say({ type: 'perform', action }),
      },
    )));
    const walks = offer.ready && offer.walks;
    document.body.classList.toggle('still', !walks);
    by('speed').parentElement.hidden = !walks;
    by('keys').hidden = !offer.ready;
    Object.assign(by('speed'), { min: offer.speed.minimum, max: offer.speed.maximum });
    this.speed = offer.speed;
    renew(by('kind'), Object.keys(offer.bodies).join(), () => {
      this.bodies = offer.bodies;
      by('kind').append(...[...Object.keys(offer.bodies), 'your own'].map(option));
      this.#chooseBody();
    });
    this.#keys(offer.keys);
    this.#poses(offer.poses);
  }

  // Show the state of this visitor (you) and of the robot.
  state(you, robot) {
    const drives = you.drives;
    document.body.classList.toggle('watching', !drives);
    by('seat').textContent = drives ? 'you drive'
      : you.driver ? `${you.driver} drives, you watch` : 'nobody drives';
    by('take').hidden = drives;
    by('take').textContent = you.driver ? 'take over' : 'drive';
    if (document.activeElement !== by('speed')) by('speed').value = you.speed;
    if (this.speed) {
      by('speed').nextElementSibling.textContent = `${(you.speed * this.speed.linear).toFixed(3)} m/s`;
    }
    if (you.gait && document.activeElement !== by('gait')) by('gait').value = you.gait;
    by('follow').checked = you.follow;
    by('contacts').checked = you.contacts;
    this.#running(robot.running);
    this.#fingers(robot.fingers);
    this.#world(robot.world);
    this.#cameras(robot.cameras);
    for (const [name, slider] of Object.entries(this.sliders ?? {})) {
      if (document.activeElement !== slider && robot.posture) {
        slider.value = robot.posture[name];
        show(slider);
      }
    }
  }

  #choose() {
    const action = this.actions.get(by('action').value);
    by('about').textContent = action?.description ?? '';
    renew(by('parameters'), JSON.stringify(action ?? null), () => {
      by('parameters').append(...(action?.parameters ?? []).map((one) => made(
        'label',
        { title: one.meaning },
        one.name,
        made('input', {
          name: one.name, type: 'number', step: 'any', min: one.minimum, max: one.maximum,
          placeholder: one.default === null ? '' : String(Number(one.default.toPrecision(4))),
        }),
        made('span', { className: 'unit', textContent: one.unit }),
      )));
    });
  }

  // Of what is no number a field has no value, as if nothing was typed: the form tells it.
  #perform(queue) {
    if (!by('parameters').reportValidity()) return;
    const parameters = {};
    for (const input of by('parameters').querySelectorAll('input')) {
      if (input.value !== '') parameters[input.name] = input.valueAsNumber;
    }
    this.link.say({ type: 'perform', action: by('action').value, parameters, queue });
  }

  #keys(keys) {
    const groups = new Map();
    for (const [key, command] of Object.entries({ ...keys.held, ...keys.pressed })) {
      groups.set(command, [...(groups.get(command) ?? []), key]);
    }
    by('keys').replaceChildren(...[...groups].flatMap(([command, names]) => {
      const marks = names.map((name) => {
        const mark = made('kbd', { textContent: name });
        mark.dataset.command = command;
        return mark;
      });
      return [...marks, ` ${command.replaceAll('_', ' ')}  `];
    }));
  }

  #poses(ranges) {
    by('pose-panel').hidden = !ranges;
    const key = JSON.stringify(ranges);
    if (by('pose').dataset.key === key) return;
    by('pose').dataset.key = key;
    this.sliders = {};
    by('pose').replaceChildren(...Object.entries(ranges ?? {}).map(([name, [low, high]]) => {
      const slider = made('input', { type: 'range', min: low, max: high, step: (high - low) / 200 });
      slider.dataset.unit = name === 'z' ? 'm' : '°';
      slider.oninput = () => show(slider);
      slider.onchange = () => {
        const pose = Object.fromEntries(
          Object.entries(this.sliders).map(([key, one]) => [key, one.valueAsNumber]),
        );
        this.link.say({ type: 'pose', ...pose });
        slider.blur();
      };
      this.sliders[name] = slider;
      return made('label', {}, name === 'z' ? 'height' : name, slider, made('output'));
    }));
  }

  #running(running) {
    renew(by('running'), running.map((one) => one.name).join(), () => {
      for (const one of running) by('running').append(made('div', {}, '', made('progress')));
    });
    running.forEach((one, place) => {
      const row = by('running').children[place];
      row.firstChild.textContent = `${one.name}: ${one.part}`;
      row.querySelector('progress').value = one.progress;
    });
  }

  #fingers(fingers) {
    by('finger-panel').hidden = fingers.length === 0;
    renew(by('fingers'), fingers.map((one) => one.name).join(), () => {
      for (const one of fingers) {
        const [min, max] = one.range ?? ['', ''];
        const placeholder = one.range ? `${min} to ${max}` : '';
        const input = made('input', { type: 'number', step: 'any', min, max, placeholder });
        input.onchange = () => Number.isFinite(input.valueAsNumber) && this.link.say({
          type: 'fingers', values: { [one.name]: input.valueAsNumber },
        });
        by('fingers').append(made('label', {}, one.name, input,
          made('span', { className: 'unit', textContent: one.unit }), made('output')));
      }
    });
    fingers.forEach((one, place) => {
      by('fingers').children[place].querySelector('output').textContent = one.value?.toFixed(3) ?? '';
    });
  }

  #world(bodies) {
    by('world-panel').hidden = bodies === null;
    renew(by('bodies'), (bodies ?? []).join(), () => {
      for (const body of bodies ?? []) {
        by('bodies').append(made('div', { className: 'row' }, body, made('button', {
          textContent: 'remove', onclick: () => this.link.say({ type: 'remove', body }),
        })));
      }
    });
  }

  #cameras(names) {
    const select = by('cameras');
    select.parentElement.hidden = names.length === 0;
    renew(select, names.join(), () => {
      select.append(made('option', { value: '', textContent: 'none' }),
        ...names.map((name) => made('option', { value: name, textContent: name })));
      select.value = names.includes(this.camera) ? this.camera : '';
    });
  }

  // Ask for pictures of the chosen camera; until one comes, none is shown.
  #askForPictures() {
    this.link.say({ type: 'camera', name: this.camera });
    by('camera').hidden = true;
  }

  #chooseBody() {
    const own = { description: '', ahead: 0.5, height: 0.1 };
    const { description, ahead, height } = this.bodies[by('kind').value] ?? own;
    by('description').value = description;
    by('ahead').value = ahead;
    by('height').value = height;
  }
}

function show(slider) {
  const value = slider.valueAsNumber;
  const text = slider.dataset.unit === 'm' ? value.toFixed(3) : (value * DEGREES).toFixed(1);
  slider.nextElementSibling.textContent = `${text} ${slider.dataset.unit}`;
}
