// The connection to the robot's dashboard: it says and hears JSON, and comes back by itself.

const ALIVE = 500;      // between two signs of life [ms]
const AGAIN = 1000;     // before the next attempt [ms]

export class Link extends EventTarget {
  constructor() {
    super();
    this.open = false;
    setInterval(() => this.say({ type: 'alive' }), ALIVE);
    this.#connect();
  }

  // Say something; lost while there is no connection, as nothing old may move the robot later.
  say(message) {
    if (this.open) this.socket.send(JSON.stringify(message));
  }

  #connect() {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    this.socket = new WebSocket(`${scheme}//${location.host}/live`);
    this.socket.binaryType = 'blob';
    this.socket.onopen = () => {
      this.open = true;
      this.dispatchEvent(new Event('open'));
    };
    this.socket.onclose = () => {
      this.open = false;
      this.dispatchEvent(new Event('lost'));
      setTimeout(() => this.#connect(), AGAIN);
    };
    this.socket.onmessage = ({ data }) => {
      if (data instanceof Blob) this.#tell('picture', data);
      else { const message = JSON.parse(data); this.#tell(message.type, message); }
    };
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
