// The editor of the page of `ritt serve`: a text area over a coloured copy of its text. It has the functions of editor.js and
// needs no packages. `grammar` is tools/editor/ritt.tmLanguage.json.
import { proposeNames } from './names.js';

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

// The list of names at the caret: it opens while a name is typed, and with Ctrl+Space. Arrows choose, Enter or a click takes,
// Escape closes it. replace(from, to, text) changes the text.
function makeNames(parent, copy, area, listen, replace) {
  const MOST = 200, list = document.createElement('ul');
  let options = [], chosen = 0, typed = '';
  list.id = 'names';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Names');
  area.setAttribute('aria-autocomplete', 'list');
  area.setAttribute('aria-controls', 'names');
  parent.append(list);

  function close() {
    list.hidden = true;
    area.removeAttribute('aria-activedescendant');
  }
  function choose(i) {
    chosen = (i + options.length) % options.length;
    [...list.children].forEach((item, k) => item.setAttribute('aria-selected', String(k === chosen)));
    list.children[chosen].scrollIntoView({ block: 'nearest' });
    area.setAttribute('aria-activedescendant', list.children[chosen].id);
  }
  function take(i) {
    const at = area.selectionStart, option = options[i];
    replace(at - typed.length, at, option.apply || option.label);
    close();
  }
  function itemOf(option, i) {
    const item = document.createElement('li'), detail = document.createElement('small');
    item.id = 'name-' + i;
    item.setAttribute('role', 'option');
    item.title = option.info || '';
    detail.textContent = option.detail || '';
    item.append(option.label, detail);
    item.addEventListener('mousedown', event => {
      event.preventDefault(); // the text keeps the caret
      take(i);
    });
    return item;
  }
  // Below the first letter of what is typed, or above it if there is more room.
  function place(line, column) {
    const range = document.createRange(), row = copy.children[line], around = parent.getBoundingClientRect();
    let left = column;
    for (const span of row.children) {
      if (left <= span.textContent.length) {
        range.setStart(span.firstChild, left);
        break;
      }
      left -= span.textContent.length;
    }
    const at = row.children.length ? range.getBoundingClientRect() : row.getBoundingClientRect();
    const below = around.bottom - at.bottom, above = at.top - around.top;
    list.style.maxHeight = Math.max(60, Math.min(220, Math.max(below, above) - 4)) + 'px';
    list.style.left = Math.max(0, Math.min(at.left - around.left, parent.clientWidth - list.offsetWidth)) + 'px';
    list.style.top = (below >= Math.min(list.offsetHeight, above) ? at.bottom - around.top : at.top - around.top - list.offsetHeight) + 'px';
  }
  function open(asked) {
    const lines = area.value.slice(0, area.selectionStart).split('\n'), before = lines[lines.length - 1];
    const found = area.selectionStart === area.selectionEnd && proposeNames(before, asked, listen);
    close();
    if (!found) return;
    ({ typed } = found);
    const begins = typed.toLowerCase();
    options = found.options.filter((o, i, all) => o.label.toLowerCase().startsWith(begins) && all.findIndex(p => p.label === o.label) === i).slice(0, MOST);
    if (!options.length || options.length === 1 && options[0].label === typed) return;
    list.replaceChildren(...options.map(itemOf));
    list.hidden = false;
    place(lines.length - 1, before.length - typed.length);
    choose(0);
  }
  area.addEventListener('keydown', event => {
    if (event.key === ' ' && event.ctrlKey) open(true);
    else if (list.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') take(chosen);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  for (const event of ['blur', 'click', 'scroll']) area.addEventListener(event, close);
  area.addEventListener('keyup', event => /^(Arrow(Left|Right)|Home|End|Page)/.test(event.key) && close());
  return open;
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
  // Changes the text as if it were typed, so that it can be undone.
  const replace = (from, to, text) => {
    area.focus();
    area.setSelectionRange(from, to);
    document.execCommand('insertText', false, text);
  };
  const openNames = makeNames(parent, copy, area, listen, replace);
  area.addEventListener('input', () => {
    marks = [];
    draw();
    listen.change();
    openNames(false);
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
    insert: (at, text) => replace(at, at, text),
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
