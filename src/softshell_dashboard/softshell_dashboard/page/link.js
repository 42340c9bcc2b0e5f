// The connection to the dashboard's server: messages in JSON; it reconnects by itself.

const ALIVE = 500;      // period of alive messages [ms]
const AGAIN = 1000;     // time before it connects again [ms]

export class Link extends EventTarget {
  constructor() {
    super();
    this.open = false;
    setInterval(() => this.say({ type: 'alive' }), ALIVE);
    this.#connect();
  }

  // Send a message. Without a connection it is dropped: an old one must not move the robot later.
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
