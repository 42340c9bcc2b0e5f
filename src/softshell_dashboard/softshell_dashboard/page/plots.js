// Small plots of one number each, over the last minute.

const SPAN = 60;        // [s]
// Name in a sample, title, unit and digits of each plot.
const KINDS = [
  ['tracking', 'largest joint error', 'rad', 3],
  ['height', 'height of the base', 'm', 3],
  ['margin', 'stability margin', 'm', 3],
  ['real_time_factor', 'real-time factor', '', 2],
  ['temperature', 'hottest motor', '°C', 1],
];

export class Plots {
  constructor(place) {
    this.samples = [];
    this.plots = KINDS.map(([name, title, unit, digits]) => {
      const box = document.createElement('div');
      box.className = 'plot';
      box.hidden = true;
      box.innerHTML = `<b>${title}</b><span></span><canvas></canvas>`;
      place.append(box);
      return { name, unit, digits, box, canvas: box.querySelector('canvas') };
    });
  }

  // Forget all samples, e.g. after a new connection.
  clear() { this.samples = []; }

  add(samples) {
    if (!samples.length) return;
    this.samples.push(...samples);
    const newest = this.samples.at(-1).time;
    this.samples = this.samples.filter((one) => one.time > newest - SPAN);
    for (const plot of this.plots) this.#draw(plot, newest);
  }

  #draw({ name, unit, digits, box, canvas }, newest) {
    const known = this.samples.filter((one) => one[name] !== undefined);
    box.hidden = known.length === 0;
    if (box.hidden || box.offsetParent === null) return;
    const value = known.at(-1)[name];
    box.querySelector('span').textContent = `${value.toFixed(digits)} ${unit}`;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const values = known.map((one) => one[name]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const least = 10 ** -digits * 5;
    if (high - low < least) { low -= least; high += least; }
    // Drawn by the processor: a canvas of the graphics card lets the whole page, and with it the
    // keys, wait for the scene, for seconds where a processor draws that.
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = '#667';
    pen.font = '10px system-ui';
    pen.fillText(high.toFixed(digits), 2, 10);
    pen.fillText(low.toFixed(digits), 2, height - 3);
    pen.strokeStyle = '#1769c7';
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const one of known) {
      const x = width * (1 - (newest - one.time) / SPAN);
      const y = 4 + (height - 8) * (1 - (one[name] - low) / (high - low));
      pen.lineTo(x, y);
    }
    pen.stroke();
  }
}
