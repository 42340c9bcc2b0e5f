// Keys and pads that are held: they are sent at each change, and repeated while any is held.

const AGAIN = 100;      // period at which they are repeated [ms]
const STILL = [0, 0, 0];

export class Drive {
  // link: to the server; frame: of the 3D scene, which must not keep the keyboard's focus; stop:
  // called for the Escape key and for those of an emergency stop, also if another one drives.
  constructor(link, frame, stop) {
    this.link = link;
    this.stop = stop;
    this.keys = { names: {}, held: {}, pressed: {} };
    this.down = new Map();      // keys that are down, and the drive command of each
    this.pads = new Map();      // pads that are held, and what each adds to the stick
    window.addEventListener('keydown', (event) => this.#pressed(event), true);
    window.addEventListener('keyup', (event) => this.#released(event), true);
    window.addEventListener('blur', () => this.#left(frame));
    document.addEventListener('visibilitychange', () => document.hidden && this.release());
    window.addEventListener('pagehide', () => this.release());
    setInterval(() => this.again(), AGAIN);
  }

  // Repeat what is held. The page also does so with each message of the server: in a browser that
  // is busy with drawing, clocks come last.
  again() {
    if (this.#isHeld()) this.#say();
  }

  // Release everything.
  release() {
    const held = this.#isHeld();
    this.down.clear();
    for (const pad of this.pads.keys()) pad.let_go();
    this.pads.clear();
    if (held) this.#say();
    this.#mark();
  }

  // Make an element a pad: along(x, y) gives its part of the stick, from the position of the
  // pointer relative to the pad's middle, each from -1 to 1.
  pad(element, along) {
    const knob = element.firstElementChild;
    const pad = { let_go: () => { knob.style.transform = ''; } };
    const hold = (event) => {
      const box = element.getBoundingClientRect();
      let x = (2 * (event.clientX - box.left)) / box.width - 1;
      let y = (2 * (event.clientY - box.top)) / box.height - 1;
      const far = Math.max(1, Math.hypot(x, y));
      [x, y] = [x / far, y / far];
      const [forward, left, turn] = along(x, y);
      knob.style.transform = `translate(${(turn || left) * -0.35 * box.width}px,`
        + `${-forward * 0.35 * box.height}px)`;
      this.pads.set(pad, [forward, left, turn]);
      this.#say();
    };
    const end = () => { if (this.pads.delete(pad)) { pad.let_go(); this.#say(); } };
    element.addEventListener('pointerdown', (event) => {
      element.setPointerCapture(event.pointerId);
      hold(event);
    });
    element.addEventListener('pointermove', (event) => this.pads.has(pad) && hold(event));
    for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      element.addEventListener(kind, end);
    }
  }

  // The window has lost the focus. After a click into the 3D scene take it back; otherwise the
  // person has left the page, so release everything.
  #left(frame) {
    setTimeout(() => {
      if (document.activeElement === frame && document.hasFocus()) { frame.blur(); window.focus(); }
      else this.release();
    });
  }

  #name(event) {
    const key = event.key.toLowerCase();
    return this.keys.names[key] ?? key;
  }

  #pressed(event) {
    if (event.key === 'Escape') { this.stop(); return; }
    if (event.key === 'Meta') this.release();     // macOS reports no release while Cmd is held
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    const key = this.#name(event);
    const command = this.keys.held[key];
    if (command === undefined && this.keys.pressed[key] === undefined) return;
    event.preventDefault();
    if (this.keys.pressed[key] === 'emergency_stop') { if (!event.repeat) this.stop(); return; }
    if (command === undefined) { this.link.say({ type: 'key', key }); return; }
    if (event.repeat || this.down.has(event.code)) return;
    this.down.set(event.code, command);
    this.#say();
  }

  #released(event) {
    if (event.key === 'Meta') this.release();
    else if (this.down.delete(event.code)) this.#say();
  }

  #isHeld() { return this.down.size > 0 || this.pads.size > 0; }

  #say() {
    const stick = [...this.pads.values()].reduce((sum, pad) => sum.map((v, k) => v + pad[k]), STILL);
    const commands = [...new Set(this.down.values())];
    const clipped = stick.map((value) => Math.min(1, Math.max(-1, value)));
    this.link.say({ type: 'hold', commands, stick: clipped });
    this.#mark();
  }

  #mark() {
    const held = new Set(this.down.values());
    for (const mark of document.querySelectorAll('kbd[data-command]')) {
      mark.classList.toggle('down', held.has(mark.dataset.command));
    }
  }
}

function isTyping(target) {
  return target?.matches?.('input[type=number], input[type=text], textarea, select') ?? false;
}
