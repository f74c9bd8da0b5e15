// Decodes the LZMA format (`xz --format=lzma`), which is a fifth smaller than gzip for the engine. A file is a byte with
// the numbers of bits of the contexts, the size of the dictionary, the size of the content (all bits set: an end mark follows),
// and one stream of bits from an arithmetic coder with adaptive probabilities.
export function decodeLzma(input) {
  const lc = input[0] % 9, lp = Math.floor(input[0] / 9) % 5, pb = Math.floor(input[0] / 45);
  const word = at => (input[at] | input[at + 1] << 8 | input[at + 2] << 16 | input[at + 3] << 24) >>> 0;
  const known = word(5) !== 0xffffffff || word(9) !== 0xffffffff;
  let out = new Uint8Array(known ? word(5) : 1 << 22), count = 0;
  const end = known ? word(5) : Infinity;

  // the arithmetic coder
  const fresh = n => new Uint16Array(n).fill(1024);
  let at = 18, range = 0xffffffff, code = (input[14] << 24 | input[15] << 16 | input[16] << 8 | input[17]) >>> 0;
  function bit(p, i) {
    const bound = (range >>> 11) * p[i];
    let b;
    if (code < bound) {
      range = bound;
      p[i] += (2048 - p[i]) >> 5;
      b = 0;
    } else {
      range -= bound;
      code -= bound;
      p[i] -= p[i] >> 5;
      b = 1;
    }
    if (range < 16777216) {
      range = (range << 8) >>> 0;
      code = (code << 8 | input[at++]) >>> 0;
    }
    return b;
  }
  function direct(n) {
    let v = 0;
    while (n-- > 0) {
      range >>>= 1;
      const b = code >= range ? 1 : 0;
      if (b) code -= range;
      v = v << 1 | b;
      if (range < 16777216) {
        range = (range << 8) >>> 0;
        code = (code << 8 | input[at++]) >>> 0;
      }
    }
    return v >>> 0;
  }
  function tree(p, base, bits) {
    let m = 1;
    for (let i = 0; i < bits; i++) m = m << 1 | bit(p, base + m);
    return m - (1 << bits);
  }
  function reverse(p, base, bits) {
    let m = 1, v = 0;
    for (let i = 0; i < bits; i++) {
      const b = bit(p, base + m);
      m = m << 1 | b;
      v |= b << i;
    }
    return v;
  }

  // lengths of copies: 2 to 273
  const lengths = () => ({ choice: fresh(2), low: fresh(128), mid: fresh(128), high: fresh(256) });
  function length(l, place) {
    if (!bit(l.choice, 0)) return 2 + tree(l.low, place << 3, 3);
    if (!bit(l.choice, 1)) return 10 + tree(l.mid, place << 3, 3);
    return 18 + tree(l.high, 0, 8);
  }

  const literal = fresh(0x300 << (lc + lp)), match = fresh(192), rep = fresh(12), rep0 = fresh(12), rep1 = fresh(12), rep2 = fresh(12), long0 = fresh(192);
  const slots = fresh(256), special = fresh(128), align = fresh(16), copies = lengths(), repeats = lengths();
  let state = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;

  function put(byte) {
    if (count === out.length) {
      const larger = new Uint8Array(2 * out.length);
      larger.set(out);
      out = larger;
    }
    out[count++] = byte;
  }
  function putLiteral() {
    const before = count ? out[count - 1] : 0, base = 0x300 * (((count & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
    let symbol = 1;
    if (state >= 7) {
      let other = out[count - d0 - 1];
      do {
        const hint = other >> 7 & 1, b = bit(literal, base + ((1 + hint) << 8) + symbol);
        other <<= 1;
        symbol = symbol << 1 | b;
        if (hint !== b) break;
      } while (symbol < 256);
    }
    while (symbol < 256) symbol = symbol << 1 | bit(literal, base + symbol);
    put(symbol & 255);
  }
  function distance(n) {
    const slot = tree(slots, Math.min(n - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, base = (2 | slot & 1) << bits;
    if (slot < 14) return base + reverse(special, base - slot, bits);
    return ((2 | slot & 1) * 2 ** bits + direct(bits - 4) * 16 + reverse(align, 0, 4)) >>> 0;
  }

  while (count < end) {
    const place = count & ((1 << pb) - 1);
    if (!bit(match, (state << 4) + place)) {
      putLiteral();
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let n;
    if (!bit(rep, state)) {
      d3 = d2, d2 = d1, d1 = d0;
      n = length(copies, place);
      state = state < 7 ? 7 : 10;
      d0 = distance(n);
      if (d0 === 0xffffffff) break;
    } else {
      if (!bit(rep0, state)) {
        if (!bit(long0, (state << 4) + place)) {
          state = state < 7 ? 9 : 11;
          put(out[count - d0 - 1]);
          continue;
        }
      } else {
        let d = d1;
        if (bit(rep1, state)) {
          if (!bit(rep2, state)) d = d2;
          else {
            d = d3;
            d3 = d2;
          }
          d2 = d1;
        }
        d1 = d0;
        d0 = d;
      }
      n = length(repeats, place);
      state = state < 7 ? 8 : 11;
    }
    for (; n > 0; n--) put(out[count - d0 - 1]);
  }
  return out.subarray(0, count);
}

// The bytes of a part of this page, which is in base64.
export function partOf(id) {
  const raw = atob(document.getElementById(id).textContent.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
export const unpack = id => decodeLzma(partOf(id));
// Texts in one part, with a byte 0 between them.
export const unpackTexts = id => new TextDecoder().decode(unpack(id)).split('\0');
