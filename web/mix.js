// A compressor for text that is a fifth smaller than LZMA, and slow: about a second for a megabyte. The page uses it for what is seldom
// needed. Each bit is predicted by models of the last 2, 3, 4 and 6 bytes, of the current word and of the longest match before; their
// predictions are mixed by weights that are learned on the way, and an arithmetic coder spends -log2(probability) bits. All numbers are
// integers, so that every browser computes the same predictions as the program that compressed the text.

// squash(x) = 4096/(1 + e^(-x/256)) for -2048 < x < 2048, interpolated; stretch is its inverse.
const KNOTS = Array.from({ length: 33 }, (_, i) => Math.round(4096 / (1 + Math.exp((16 - i) / 2))));
function squash(x) {
  if (x > 2047) return 4095;
  if (x < -2047) return 1;
  const part = x & 127, i = (x >> 7) + 16;
  return Math.max(1, (KNOTS[i] * (128 - part) + KNOTS[i + 1] * part + 64) >> 7);
}
const STRETCH = new Int16Array(4096);
for (let x = -2047, next = 0; x <= 2047; x++) for (const p = squash(x); next <= p && next < 4096; next++) STRETCH[next] = x;

const ORDERS = 4, MODELS = ORDERS + 1, INPUTS = MODELS + 1, BITS = 20, MASK = (1 << BITS) - 1;

class Predictor {
  constructor() {
    // predictions of 22 bits, each with a count of how often it was used (10 bits), by the hash of what they follow
    this.table = Array.from({ length: MODELS }, () => new Uint32Array(1 << BITS).fill(0x80000000));
    this.base = new Int32Array(MODELS);
    this.slot = new Int32Array(MODELS);
    this.input = new Int32Array(INPUTS);
    this.weight = new Int32Array(INPUTS * 1024).fill(20000);
    this.history = new Uint8Array(1 << 23);
    this.at = 0;
    this.byte = 1; // the bits of the current byte behind a leading 1
    this.word = 0;
    this.positions = new Int32Array(1 << 20);
    this.match = 0;
    this.length = 0;
    this.matched = new Uint32Array(64 * 2).fill(0x80000000);
    this.probability = 2048;
    this.predict();
  }

  // The probability of a bit 1, of 4096.
  predict() {
    const { input, weight } = this;
    for (let i = 0; i < MODELS; i++) {
      const slot = this.slot[i] = (this.base[i] + Math.imul(this.byte, 0x2F0B4C47)) >>> (32 - BITS) & MASK;
      input[i] = STRETCH[this.table[i][slot] >>> 20];
    }
    this.expected = -1;
    if (this.length > 0 && (this.history[this.match] | 256) >> (8 - this.used()) === this.byte) {
      this.expected = this.history[this.match] >> (7 - this.used()) & 1;
      this.state = Math.min(this.length, 31) * 2 + this.expected;
      input[INPUTS - 1] = STRETCH[this.matched[this.state] >>> 20];
    } else {
      this.length = 0;
      input[INPUTS - 1] = 0;
    }
    this.set = INPUTS * (this.byte + (this.expected < 0 ? 0 : this.length < 16 ? 256 : 512));
    let sum = 0;
    for (let i = 0; i < INPUTS; i++) sum += input[i] * weight[this.set + i];
    this.probability = squash(Math.round(sum / 65536));
  }

  // The number of bits of the current byte that are known.
  used() { return 31 - Math.clz32(this.byte); }

  static learn(table, slot, bit, limit) {
    const value = table[slot], count = value & 1023, p = value >>> 10;
    const change = Math.trunc(((bit << 22) - p) / (count + 1.5));
    table[slot] = (p + change) * 1024 + (count < limit ? count + 1 : count);
  }

  update(bit) {
    const error = (bit << 12) - this.probability;
    for (let i = 0; i < INPUTS; i++) this.weight[this.set + i] += (this.input[i] * error * 16 + 0x8000) >> 16;
    for (let i = 0; i < MODELS; i++) Predictor.learn(this.table[i], this.slot[i], bit, 30);
    if (this.expected >= 0) Predictor.learn(this.matched, this.state, bit, 1000);
    this.byte = this.byte << 1 | bit;
    if (this.byte > 255) this.end(this.byte & 255);
    this.predict();
  }

  // A byte is known: new contexts.
  end(c) {
    const { history } = this;
    history[this.at++] = c;
    this.byte = 1;
    const letter = c >= 48 && c <= 57 || c >= 65 && c <= 90 || c === 95 || c >= 97 && c <= 122;
    this.word = letter ? Math.imul(this.word + c, 0x2C9277B5) | 1 : 0;
    let hash = 0;
    for (let i = 0; i < 6; i++) {
      hash = Math.imul(hash ^ history[this.at - 1 - i] + 1, 0x2C9277B5) + i | 0;
      if (i > 0 && i !== 4) this.base[i < 4 ? i - 1 : 3] = Math.imul(hash, 0x3D4D51CB);
    }
    this.base[ORDERS] = Math.imul(this.word ^ 0x1234567, 0x3D4D51CB);

    // the longest match: what followed the same six bytes the last time
    const key = hash >>> 12;
    if (this.length > 0) {
      this.match++;
      if (this.length < 65535) this.length++;
    } else {
      this.match = this.positions[key];
      if (this.match > 0) while (this.length < 64 && history[this.match - 1 - this.length] === history[this.at - 1 - this.length]) this.length++;
    }
    this.positions[key] = this.at;
  }
}

// Both ways: the interval [low, high] of 32 bits is cut by the probability.
function cut(low, high, probability) { return low + Math.floor((high - low) / 4096) * probability; }

export function compressText(bytes) {
  const predictor = new Predictor(), out = [bytes.length & 255, bytes.length >> 8 & 255, bytes.length >> 16];
  let low = 0, high = 0xffffffff;
  for (const c of bytes)
    for (let i = 7; i >= 0; i--) {
      const bit = c >> i & 1, middle = cut(low, high, predictor.probability);
      if (bit) high = middle;
      else low = middle + 1;
      predictor.update(bit);
      while (((low ^ high) & 0xff000000) === 0) {
        out.push(high >>> 24);
        low = low << 8 >>> 0;
        high = (high << 8 | 255) >>> 0;
      }
    }
  out.push(low + 0xffffff >>> 24, 0, 0, 0);
  return Uint8Array.from(out);
}

export function expandText(input) {
  const predictor = new Predictor(), out = new Uint8Array(input[0] | input[1] << 8 | input[2] << 16);
  let low = 0, high = 0xffffffff, at = 3, code = 0;
  for (let i = 0; i < 4; i++) code = (code << 8 | input[at++]) >>> 0;
  for (let n = 0; n < out.length; n++) {
    let c = 0;
    for (let i = 0; i < 8; i++) {
      const middle = cut(low, high, predictor.probability), bit = code <= middle ? 1 : 0;
      if (bit) high = middle;
      else low = middle + 1;
      predictor.update(bit);
      c = c << 1 | bit;
      while (((low ^ high) & 0xff000000) === 0) {
        low = low << 8 >>> 0;
        high = (high << 8 | 255) >>> 0;
        code = (code << 8 | input[at++]) >>> 0;
      }
    }
    out[n] = c;
  }
  return out;
}
