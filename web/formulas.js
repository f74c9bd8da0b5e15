// The completed system as formulas. The engine writes LaTeX: headings as comments, lists in \[ \], equations with their origins in
// align*. What it writes is a small part of LaTeX, which is turned into MathML here; browsers draw it with the fonts they have.

const MOST = 60000; // characters; longer systems are shown as text

const letters = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', kappa: 'κ', lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', tau: 'τ', phi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω', Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Sigma: 'Σ', Phi: 'Φ', Omega: 'Ω' };
const signs = { le: '≤', lfloor: '⌊', rfloor: '⌋', lceil: '⌈', rceil: '⌉', cdot: '·' };
const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

// MathML of a formula in LaTeX.
export function mathml(latex) {
  const tokens = latex.match(/\\[a-zA-Z]+|\\.|[0-9]+(?:\.[0-9]+)?|'+|\s+|./gu) || [];
  let at = 0;
  const skip = () => { while (at < tokens.length && /^\s+$/.test(tokens[at])) at++; };

  // the text of {...}, as it is
  function braced() {
    skip();
    let text = '', depth = 0;
    do {
      const t = tokens[at++];
      if (t === '{' && depth++ === 0) continue;
      if (t === '}' && --depth === 0) break;
      text += t;
    } while (at < tokens.length);
    return text.replace(/\\(.)/g, '$1');
  }
  function argument() {
    skip();
    if (tokens[at] !== '{') return atom();
    at++;
    return `<mrow>${list('}')}</mrow>`;
  }
  function atom() {
    const t = tokens[at++];
    if (t === '{') return `<mrow>${list('}')}</mrow>`;
    if (/^[0-9]/.test(t)) return `<mn>${t}</mn>`;
    if (/^[\p{L}]$/u.test(t)) return `<mi>${t}</mi>`;
    if (t === '\\frac') return `<mfrac>${argument()}${argument()}</mfrac>`;
    if (t === '\\sqrt') return `<msqrt>${argument()}</msqrt>`;
    if (t === '\\text') return `<mtext>${escape(braced()).replace(/^ | $/g, '\u00a0')}</mtext>`;
    if (t === '\\operatorname' || t === '\\mathrm') return `<mi mathvariant="normal">${escape(braced())}</mi>`;
    if (t === '\\left' || t === '\\right') return atom();
    if (t === '\\,') return '<mspace width="0.17em"/>';
    if (t === '\\;') return '<mspace width="0.5em"/>';
    const name = t.slice(1);
    if (letters[name]) return `<mi>${letters[name]}</mi>`;
    if (signs[name]) return `<mo>${signs[name]}</mo>`;
    if (/^[()\u230a\u230b\u2308\u2309]$/.test(t)) return `<mo stretchy="true">${t}</mo>`;
    return `<mo>${escape(t === '-' ? '−' : t.replace(/^\\(.)$/, '$1'))}</mo>`;
  }
  // Everything up to a closing brace, with subscripts, powers and primes.
  function list(until) {
    let out = '';
    for (skip(); at < tokens.length; skip()) {
      if (tokens[at] === until) {
        at++;
        break;
      }
      let piece = atom(), below = '', above = '', primes = ''; // primes are raised already
      for (skip(); at < tokens.length; skip()) {
        if (tokens[at] === '_') at++, below = argument();
        else if (tokens[at] === '^') at++, above += argument();
        else if (/^'+$/.test(tokens[at])) primes = `<mo lspace="0" rspace="0">${'′'.repeat(tokens[at++].length)}</mo>`;
        else break;
      }
      if (below && above) piece = `<msubsup>${piece}${below}<mrow>${above}</mrow></msubsup>`;
      else if (below) piece = `<msub>${piece}${below}</msub>`;
      else if (above) piece = `<msup>${piece}<mrow>${above}</mrow></msup>`;
      out += piece + primes;
    }
    return out;
  }
  return `<math><mrow>${list(null)}</mrow></math>`;
}

function element(tag, name, html) {
  const e = document.createElement(tag);
  e.className = name;
  e.innerHTML = html;
  return e;
}

const headings = { manifold: 'manifold: these constraints hold at every point', tops: 'tops: the highest derivatives and the unknowns without derivatives' };

export function showSystem(root, latex) {
  root.textContent = '';
  if (latex.length > MOST) {
    const text = document.createElement('pre');
    text.textContent = latex;
    root.append(text);
    return;
  }
  for (const piece of latex.matchAll(/^% (.*)$|\\\[([^]*?)\\\]|\\begin\{align\*\}([^]*?)\\end\{align\*\}/gm)) {
    const [, heading, formula, rows] = piece;
    if (heading !== undefined) root.append(element('h3', '', escape(headings[heading] || heading)));
    else if (formula !== undefined) root.append(element('div', 'formula', formula.split(/,\\;/).map(f => mathml(f.trim())).join('<span>, </span>')));
    else for (const row of rows.split(/\\\\\n/)) {
      const [, left, origin] = /^\s*([^]*?) &= 0 && \\text\{([^]*)\}\s*$/.exec(row) || ['', row, ''];
      root.append(element('div', 'formula', `${mathml(left + ' = 0')}<small>${escape(origin)}</small>`));
    }
  }
}
