// The editor of the page of `ritt serve`: a text area over a coloured copy of its text. It has the functions of editor.js and
// needs no packages. `grammar` is tools/editor/ritt.tmLanguage.json.
const colourOf = [
  [/^comment/, 'comment'], [/^string/, 'string'], [/^keyword\.control|^keyword\.operator\.word/, 'section'], [/^constant|^support\.constant/, 'number'],
  [/^support\.function/, 'function'], [/^keyword\.other/, 'word'], [/^keyword\.operator/, 'operator']
];
const rules = grammar.patterns.map(p => ({ at: new RegExp(p.match, 'y'), colour: colourOf.find(c => c[0].test(p.name))[1] }));
const other = /[A-Za-z_]\w*|\s+|./uy;

// The pieces of a line: { text, colour }.
function piecesOf(line) {
  const pieces = [];
  for (let at = 0; at < line.length;) {
    let text = '', colour = '';
    for (const rule of rules) {
      rule.at.lastIndex = at;
      const found = rule.at.exec(line);
      if (found && found[0]) {
        [text] = found;
        ({ colour } = rule);
        break;
      }
    }
    if (!text) {
      other.lastIndex = at;
      [text] = other.exec(line);
    }
    pieces.push({ text, colour });
    at += text.length;
  }
  return pieces;
}

// Fills the element with the coloured lines of the text. marks: [{ from, to, message }], offsets in the text.
function colourText(element, text, marks) {
  let at = 0;
  element.replaceChildren(...text.split('\n').map(line => {
    const row = document.createElement('div');
    for (const { text: piece, colour } of piecesOf(line)) {
      const span = document.createElement('span'), mark = marks.find(m => m.from < at + piece.length && m.to > at);
      span.textContent = piece;
      if (colour) span.style.color = `var(--code-${colour})`;
      if (mark) span.className = 'mistake';
      row.append(span);
      at += piece.length;
    }
    if (!line) row.append('\u200b');
    at++;
    return row;
  }));
}

export function makeEditor(parent, listen) {
  const copy = document.createElement('pre'), area = document.createElement('textarea');
  let marks = [];
  parent.classList.add('plain');
  copy.setAttribute('aria-hidden', 'true');
  area.setAttribute('aria-label', 'Text of the model');
  area.spellcheck = false;
  area.wrap = 'off';
  area.autocapitalize = 'off';
  parent.append(copy, area);
  const draw = () => {
    colourText(copy, area.value, marks);
    copy.scrollTop = area.scrollTop;
    copy.scrollLeft = area.scrollLeft;
  };
  area.addEventListener('input', () => {
    marks = [];
    draw();
    listen.change();
  });
  area.addEventListener('scroll', () => {
    copy.scrollTop = area.scrollTop;
    copy.scrollLeft = area.scrollLeft;
  });
  area.addEventListener('keydown', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key === 's') {
      event.preventDefault();
      listen.save();
    }
  });
  return {
    view: area,
    text: () => area.value,
    setText(text) {
      if (text === area.value) return;
      area.value = text;
      marks = [];
      draw();
    },
    insert(at, text) {
      area.setRangeText(text, at, at, 'end');
      area.dispatchEvent(new Event('input'));
    },
    setMarks(list) {
      marks = list.map(m => ({ ...m, to: Math.max(m.to, m.from + 1) }));
      draw();
    },
    goTo(at) {
      area.focus();
      area.setSelectionRange(at, at);
      const line = area.value.slice(0, at).split('\n').length - 1, height = area.scrollHeight / area.value.split('\n').length;
      area.scrollTop = Math.max(0, line * height - area.clientHeight / 2);
    }
  };
}

export function makeReader(parent, label) {
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.setAttribute('aria-label', label);
  text.className = 'reader';
  parent.append(text);
  return content => colourText(text, content, []);
}
