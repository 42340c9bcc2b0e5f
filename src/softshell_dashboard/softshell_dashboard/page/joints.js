// The table of joints; the server sends it only while it is open.

const DIGITS = [3, 3, 2, 0];     // digits of position, error, effort and temperature

export class Joints {
  constructor(panel, table, link) {
    this.table = table;
    this.rows = new Map();
    panel.ontoggle = () => link.say({ type: 'joints', shown: panel.open });
    link.addEventListener('open', () => panel.open && link.say({ type: 'joints', shown: true }));
  }

  show(joints) {
    if (joints.length !== this.rows.size || joints.some(([name]) => !this.rows.has(name))) {
      this.#build(joints);
    }
    const off = joints.map(([, , error]) => Math.abs(error ?? 0));
    const most = Math.max(...off);
    joints.forEach(([name, ...values], place) => {
      const cells = this.rows.get(name);
      values.forEach((value, column) => {
        cells[column].textContent = value === null ? '' : value.toFixed(DIGITS[column]);
      });
      cells[1].classList.toggle('most', off[place] > 0 && off[place] === most);
    });
  }

  #build(joints) {
    this.rows.clear();
    const body = this.table.tBodies[0];
    body.replaceChildren();
    for (const [name] of joints) {
      const row = body.insertRow();
      row.insertCell().textContent = name;
      this.rows.set(name, DIGITS.map(() => row.insertCell()));
    }
  }
}
