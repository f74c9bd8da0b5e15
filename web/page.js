// The page: an editor, the engine behind it, and what it answers. Every change of the text is checked and run; sliders run it
// again while they are dragged.
import { makeEditor, makeReader } from './editor.js';
import { deflate, Engine, inflate } from './engine.js';
import { showSystem } from './formulas.js';

const FIRST = 'models/classics/pendulum/pendulum.ritt';
const OWN = 'models/own/model.ritt'; // the path of a model that is not a file of the menu
const PAUSE = 250;  // milliseconds after the last key
const PATIENT = 1200; // milliseconds after which a run gives way to the next one

const $ = id => document.getElementById(id);
const now = () => performance.now();

let path = FIRST, changed = {}, about = null, checked = null, view = null, editor, table = false, shown = null;

// ---- what is shown ----------------------------------------------------------------------------------------------------

function say(text, bad) {
  $('status').textContent = text;
  $('status').title = text;
  $('status').classList.toggle('bad', !!bad);
}

// Offsets of a message in the text. Its column counts characters.
function placeOf(m) {
  const lines = text().split('\n');
  if (!m.line || m.line > lines.length || (m.file && !m.file.endsWith(path.split('/').pop()))) return { from: 0, to: lines[0].length };
  const line = lines[m.line - 1], before = [...line].slice(0, Math.max(0, m.column - 1)).join('');
  const begin = lines.slice(0, m.line - 1).reduce((sum, l) => sum + l.length + 1, 0), end = begin + line.length;
  const from = Math.min(begin + before.length, end), word = /^([\p{L}_][\p{L}\p{N}_]*'*|[\d.]+|.)/u.exec(line.slice(before.length));
  return { from, to: Math.min(end, from + (word ? word[0].length : 0)) };
}

function showMessages(messages) {
  const marks = messages.map(m => ({ ...placeOf(m), message: m.text + (m.hint ? '\nhint: ' + m.hint : '') }));
  editor.setMarks(marks.sort((a, b) => a.from - b.from));
  $('messages').replaceChildren(...messages.map(m => {
    const item = document.createElement('li'), button = document.createElement('button');
    button.type = 'button';
    button.textContent = (m.line ? m.line + ':' + m.column + ': ' : '') + m.text;
    if (m.hint) {
      const hint = document.createElement('small');
      hint.textContent = 'hint: ' + m.hint;
      button.append(hint);
    }
    button.addEventListener('click', () => {
      openTab('model');
      editor.goTo(placeOf(m).from);
    });
    item.append(button);
    return item;
  }));
}

function showCheck(answer) {
  $('check').textContent = (answer.check || '') + (answer.tree ? '\n' + answer.tree : '');
  $('words').textContent = answer.words || '';
  showSystem($('formulas'), answer.latex || '');
}

function showView(data) {
  if (!data || !data.rows) return;
  $('nothing').hidden = true;
  if (view) view.update(data);
  else {
    view = rittView($('view'), data, { within: true, bare: true });
    view.theme(theme());
  }
  if (!shown) performance.mark('first-curve');
  shown = data;
  window.rittPage.view = view;
}

function busy(on) {
  $('stop').disabled = !on;
  if (!on) $('progress').classList.remove('on');
}

const engine = new Engine({
  progress(p) {
    $('progress').classList.add('on');
    $('progress').value = p.part;
    say(`running: ${about && about.independent ? about.independent.name + ' = ' : ''}${p.x.toPrecision(4)}, ${p.steps} steps`);
  },
  part(text) { showView(JSON.parse(text)); }
});

// ---- questions to the engine --------------------------------------------------------------------------------------------

const question = () => ({ path, text: text(), values: Object.entries(changed).map(([k, v]) => k + '=' + v).join('\n') });

let wanted = null, working = false;

// Check and run, or run alone; the newest wish replaces the one that waits.
function want(what) {
  wanted = wanted === 'check' ? 'check' : what;
  if (working && (what === 'check' ? engine.age > PAUSE : engine.age > PATIENT)) engine.stop();
  if (!working) work();
}

async function work() {
  working = true;
  while (wanted) {
    const what = wanted;
    wanted = null;
    busy(true);
    if (what === 'check' && !(await check())) continue;
    if (wanted) continue;
    await run();
  }
  busy(false);
  working = false;
  window.rittPage.idle++;
}

function read(m) {
  if (!m) return null;
  if (m.failed) return { messages: [{ text: 'the engine failed: ' + m.failed, hint: 'the model may need more memory than a browser gives; the program has no such limit' }], status: -1 };
  window.rittPage.memory = m.memory;
  return { ...JSON.parse(m.result), took: m.took };
}

async function check() {
  say('checking…');
  const answer = read(await engine.ask('check', question()));
  if (!answer) return say('stopped'), false;
  checked = answer;
  window.rittPage.checked = answer;
  if (answer.about) {
    const sliders = JSON.stringify(answer.about.parameters);
    if (!about || sliders !== JSON.stringify(about.parameters)) {
      $('drawer').hidden = !rittSliders($('parameters'), answer.about.parameters, changed, () => want('run'));
    }
    about = answer.about;
  }
  showMessages(answer.messages);
  showCheck(answer);
  if (answer.status !== 0) say(answer.verdict ? answer.verdict : `${answer.messages.length} ${answer.messages.length === 1 ? 'mistake' : 'mistakes'}`, true);
  return answer.status === 0;
}

async function run() {
  say('running…');
  const answer = read(await engine.ask('run', question()));
  if (!answer) return say('stopped', true);
  window.rittPage.ran = answer;
  window.rittPage.runs++;
  showView(answer.view);
  table = answer.rows > 0;
  showMessages(answer.messages);
  const facts = checked && checked.verdict ? `${checked.kind}, ${checked.free} free, index ${checked.index}, ${checked.hidden} hidden constraints · ` : '';
  say(`${facts}${answer.rows} rows in ${Math.round(answer.took)} ms`, answer.status !== 0);
}

// ---- the text --------------------------------------------------------------------------------------------------------------

let timer = 0;
function touched() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = 0;
    keep();
    want('check');
  }, PAUSE);
}

// The browser keeps the text for the next visit, where it may.
function keep() {
  if (engine.watch) return;
  try { localStorage.setItem('ritt', JSON.stringify({ path, text: text() })); } catch { /* private windows */ }
}
function kept() {
  try { return JSON.parse(localStorage.getItem('ritt')); } catch { return null; }
}

function names() {
  if (!about) return [];
  const list = [];
  for (const p of about.parameters) list.push({ label: p.name, type: 'constant', detail: p.unit || 'parameter', info: p.doc || undefined });
  for (const v of about.variables) list.push({ label: v.name, type: 'variable', detail: v.unit || 'variable', info: v.doc || undefined });
  for (const part of text().matchAll(/\b([A-Za-z_]\w*) *:=?/g)) if (!list.some(n => n.label === part[1])) list.push({ label: part[1], type: 'variable' });
  if (about.independent && about.independent.name) list.push({ label: about.independent.name, type: 'variable', detail: 'independent' });
  return list;
}
const text = () => editor.text();

function load(where, content, values) {
  const other = where !== path;
  path = where;
  changed = values || {};
  about = null;
  clearTimeout(timer);
  editor.setText(content);
  clearTimeout(timer);
  timer = 0;
  if (view && other) {
    view.stop();
    view = null;
    $('view').className = '';
  }
  $('nothing').hidden = !!view;
  $('models').value = engine.files && engine.files[where] !== undefined ? where : '';
  keep();
  want('check');
}

// ---- menus -----------------------------------------------------------------------------------------------------------------

const folders = { gallery: 'Gallery', classics: 'Classics', parts: 'Components', new: 'To begin with', branches: 'Branches', ivp: 'Test set for initial value problems', papers: 'The papers', stiff: 'Stiff mechanics', users: 'From many fields' };

function fillMenus() {
  const groups = {};
  for (const [file, content] of Object.entries(engine.files)) {
    if (!file.endsWith('.ritt') || !/^model\b/m.test(content)) continue;
    const folder = file.split('/')[1], line = /^model\s+(\w+)\s*(?:"([^"]*)")?/m.exec(content);
    (groups[folder] = groups[folder] || []).push({ file, label: line ? line[2] || line[1] : file });
  }
  const order = [...Object.keys(folders), ...Object.keys(groups)].filter((f, i, all) => groups[f] && all.indexOf(f) === i);
  $('models').replaceChildren(new Option('own model', ''), ...order.map(folder => {
    const group = document.createElement('optgroup');
    group.label = folders[folder] || folder;
    groups[folder].forEach(m => group.append(new Option(m.label, m.file)));
    return group;
  }));
  $('models').addEventListener('change', () => {
    const file = $('models').value;
    if (file) load(file, engine.files[file]);
  });

  const libraries = Object.keys(engine.libraries).filter(n => n);
  $('libraries').replaceChildren(...libraries.map(n => new Option(n, n)));
  const read = makeReader($('library-text'), 'Text of the library');
  const show = () => read(engine.libraries[$('libraries').value]);
  $('libraries').addEventListener('change', show);
  show();
  $('include').addEventListener('click', () => {
    const line = `include <${$('libraries').value}>\n`, first = /^model.*\n/m.exec(text()), at = first ? first.index + first[0].length : 0;
    if (!text().includes(line)) editor.insert(at, line);
    openTab('model');
    editor.goTo(at);
  });
}

// ---- tabs -------------------------------------------------------------------------------------------------------------------

const tabs = ['model', 'picture', 'system', 'library'];
const narrow = matchMedia('(max-width: 820px)');
let tab = 'picture';
function openTab(name) {
  if (name === 'model' && !narrow.matches) return;
  tab = name;
  for (const t of tabs) {
    const on = t === tab;
    $('tab-' + t).setAttribute('aria-selected', String(on));
    $('tab-' + t).tabIndex = on ? 0 : -1;
    $(t).hidden = t === 'model' ? narrow.matches && !on : !on;
  }
}
function prepareTabs() {
  for (const t of tabs) $('tab-' + t).addEventListener('click', () => openTab(t));
  $('tabs').addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], usable = narrow.matches ? tabs : tabs.slice(1);
    if (!step) return;
    const next = usable[(usable.indexOf(tab) + step + usable.length) % usable.length];
    openTab(next);
    $('tab-' + next).focus();
    event.preventDefault();
  });
  narrow.addEventListener('change', () => openTab(narrow.matches || tab !== 'model' ? tab : 'picture'));
  openTab(narrow.matches ? 'model' : 'picture');
}

// ---- light and dark -----------------------------------------------------------------------------------------------------------

const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = null;
function theme() { return chosen || (system.matches ? 'dark' : 'light'); }
function paint() {
  document.documentElement.classList.toggle('dark', theme() === 'dark');
  if (view) view.theme(theme());
}

// ---- links and files ----------------------------------------------------------------------------------------------------------

// A link holds the whole model: compressed, behind the #, which no server sees.
async function makeLink() {
  const bytes = await deflate(new TextEncoder().encode(JSON.stringify({ path: engine.files[path] !== undefined ? path : undefined, text: text(), values: changed })), 'deflate-raw');
  let raw = '';
  for (const b of bytes) raw += String.fromCharCode(b);
  return location.href.split('#')[0] + '#m=' + btoa(raw).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
async function readLink() {
  const found = /^#m=([\w-]+)$/.exec(location.hash);
  if (!found) return null;
  try {
    const raw = atob(found[1].replace(/-/g, '+').replace(/_/g, '/'));
    const model = JSON.parse(new TextDecoder().decode(await inflate(Uint8Array.from(raw, c => c.charCodeAt(0)), 'deflate-raw')));
    return typeof model.text === 'string' ? model : null;
  } catch { return null; }
}
async function share() {
  const link = await makeLink();
  history_replace(link);
  try {
    await navigator.clipboard.writeText(link);
    say('the link is copied; it holds the whole model');
  } catch { say('the address of this page now holds the whole model: copy it'); }
}
function history_replace(link) {
  try { window.history.replaceState(null, '', link); } catch { location.hash = link.split('#')[1]; }
}

function download(name, content, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
async function save(what) {
  const name = (/^model\s+(\w+)/m.exec(text()) || ['', 'model'])[1];
  if (what === 'ritt') return download(name + '.ritt', text(), 'text/plain');
  if (what === 'html') return shown && download(name + '.html', pageOf(shown), 'text/html');
  if (working) return say('wait until the run has ended, or stop it');
  if (what === 'csv') {
    if (!table) return say('there is no run yet', true);
    return download(name + '.csv', (await engine.ask('table', {})).text, 'text/csv');
  }
  const answer = read(await engine.ask('emit', question()));
  if (!answer || !answer.c) return showMessages(answer ? answer.messages : []), say('no C could be written', true);
  download(name + '.c', answer.c, 'text/x-c');
}
// The view of the run as a page of its own.
function pageOf(data) {
  const end = '</' + 'script>', json = JSON.stringify(data).replace(/</g, '\\u003c');
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title></title><style>${document.querySelector('style').textContent}</style></head><body><main id="view"></main><script>var data=${json};document.title=data.title;${rittView.toString()};rittView(document.getElementById('view'),data)${end}</body></html>`;
}

// ---- begin ----------------------------------------------------------------------------------------------------------------------

window.rittPage = { idle: 0, runs: 0, began: now(), link: makeLink, load, engine, settled: () => !timer && !working };

async function begin() {
  paint();
  prepareTabs();
  system.addEventListener('change', paint);
  editor = makeEditor($('editor'), {
    change: touched, run: () => want('check'), save: () => save('ritt'), names, libraries: () => Object.keys(engine.libraries || {}).filter(n => n)
  });
  window.rittPage.editor = editor.view;
  $('theme').addEventListener('click', () => {
    chosen = theme() === 'dark' ? 'light' : 'dark';
    paint();
  });
  $('run').addEventListener('click', () => want('check'));
  $('stop').addEventListener('click', () => {
    wanted = null;
    engine.stop();
  });
  $('share').addEventListener('click', share);
  $('reset').addEventListener('click', () => {
    changed = {};
    about = null;
    want('check');
  });
  $('save').addEventListener('change', () => {
    const what = $('save').value;
    $('save').value = '';
    if (what) save(what);
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !$('stop').disabled && !event.defaultPrevented) $('stop').click();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) want('check');
  });

  await engine.begin();
  fillMenus();
  if (engine.watch) {
    // the model is a file, and the page follows it
    $('share').hidden = document.querySelector('.menu').hidden = true;
    $('brand').textContent = engine.title;
    $('reset').textContent = 'as in the file';
    return engine.watch(load, say);
  }
  const open = async () => {
    const linked = await readLink(), old = linked ? null : kept();
    if (linked) load(linked.path && engine.files[linked.path] !== undefined ? linked.path : OWN, linked.text, linked.values);
    else if (old && old.text) load(old.path || OWN, old.text);
    else load(FIRST, engine.files[FIRST]);
  };
  window.addEventListener('hashchange', open);
  await open();
}
begin().catch(error => say('this browser cannot run the engine: ' + error.message, true));
