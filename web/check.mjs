// node check.mjs PROGRAM SITE PICTURES MODULES: tests of the page in a browser. Each line of the output is a test; the exit code is
// 0 only if all of them pass. Only those whose names contain a word of $RITT_WEB_TESTS run, if it is set. $RITT_WEB_SAMPLE models are run
// in the page, which depend on $RITT_WEB_SEED; all of them, if it is not set.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, site, pictures, modules] = process.argv.slice(2);
const top = fileURLToPath(new URL('..', import.meta.url));
const { chromium } = createRequire(join(modules, 'package.json'))('playwright-core');
const page_url = 'file://' + join(site, 'index.html');
const folder = mkdtempSync(join(tmpdir(), 'ritt-web-'));
const only = (process.env.RITT_WEB_TESTS || '').split(' ').filter(w => w);

let failures = 0;
function ok(what, holds, detail) {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${!holds && detail !== undefined ? ': ' + detail : ''}`);
  if (!holds) failures++;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const complaints = [];
const PATIENCE = 300000; // milliseconds: a busy machine is slow

// A page of its own, without storage. Requests to anyone and messages on the console are noted.
async function open(options = {}, url = page_url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.on('console', m => m.type() === 'error' && complaints.push(m.text()));
  page.on('pageerror', e => complaints.push(String(e)));
  page.on('request', r => /^(file|blob|data):/.test(r.url()) || complaints.push('a request to ' + r.url()));
  await page.goto(url);
  return page;
}
const idle = (page, before, timeout = PATIENCE) => page.waitForFunction(n => window.rittPage && window.rittPage.idle > n, before, { timeout });
// Nothing runs, and nothing waits to be run.
const settled = page => page.waitForFunction(() => window.rittPage.settled());
// Does the condition come true?
const comes = (page, condition, argument) => page.waitForFunction(condition, argument).then(() => true, () => false);
const idles = page => page.evaluate(() => window.rittPage.idle);
async function ready(options, url) {
  const page = await open(options, url);
  await idle(page, 0);
  return page;
}
const state = page => page.evaluate(() => ({ ran: window.rittPage.ran && { last: window.rittPage.ran.last, rows: window.rittPage.ran.rows, status: window.rittPage.ran.status }, runs: window.rittPage.runs, memory: window.rittPage.memory, text: window.rittPage.editor.state.doc.toString() }));

const tests = {
  // the pendulum is there without a click
  async 'first page'() {
    const page = await ready();
    const s = await state(page);
    ok('the pendulum runs when the page is opened', s.ran && s.ran.status === 0 && s.ran.rows > 100);
    ok('hidden constraints are named', /2 hidden constraints/.test(await page.textContent('#status')), await page.textContent('#status'));
    await page.click('#tab-system');
    ok('formulas are set', await page.locator('#formulas math').count() > 2);
    ok('no request, no message on the console', complaints.length === 0, complaints.join('; '));
    console.log('       first curve after', Math.round(await page.evaluate(() => performance.getEntriesByName('first-curve')[0].startTime)), 'ms');
    await page.context().close();
  },

  async 'mistake'() {
    const page = await ready();
    const line = await page.evaluate(() => {
      const doc = window.rittPage.editor.state.doc;
      for (let i = 1; i <= doc.lines; i++) if (doc.line(i).text.includes("y'' + lambda*y")) return i;
    });
    let n = await idles(page);
    await page.evaluate(i => {
      const e = window.rittPage.editor, l = e.state.doc.line(i), at = l.from + l.text.indexOf('lambda');
      e.focus();
      e.dispatch({ selection: { anchor: at, head: at + 6 } });
    }, line);
    await page.keyboard.type('lamda');
    await page.keyboard.press('Escape'); // the list of names
    await idle(page, n);
    const marks = page.locator('.cm-lintRange-error');
    ok('a mistake is underlined', await marks.count() > 0);
    ok('at its place', await marks.first().textContent() === 'lamda', await marks.first().textContent());
    const message = await page.textContent('#messages');
    ok('its line and column are named', message.includes(`${line}:9: `), message);
    ok('with its hint', /hint: .*lambda/.test(message), message);
    await page.screenshot({ path: join(pictures, 'mistake.png') });
    n = await idles(page);
    for (let i = 0; i < 5; i++) await page.keyboard.press('Backspace');
    await page.keyboard.type('lam');
    await page.waitForSelector('.cm-tooltip-autocomplete');
    ok('names are completed', (await page.textContent('.cm-tooltip-autocomplete')).includes('lambda'));
    await page.waitForTimeout(150); // the list takes no key in its first moment
    await page.keyboard.press('Enter');
    await idle(page, n);
    await page.waitForFunction(() => document.querySelectorAll('.cm-lintRange-error').length === 0);
    ok('and the mistake is gone', (await page.locator('#messages li').count()) === 0);
    await page.context().close();
  },

  async 'slider'() {
    const page = await ready();
    const before = await state(page), box = await page.locator('#parameters input[type=range]').first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 10; i++) await page.mouse.move(box.x + box.width * (0.5 + i / 30), box.y + box.height / 2);
    ok('a slider runs the model while it is dragged', await comes(page, runs => window.rittPage.runs > runs, before.runs));
    await page.mouse.up();
    await settled(page);
    const g = await page.locator('#parameters input[type=number]').first().inputValue();
    const native = spawnSync(program, ['run', join(top, 'models/classics/pendulum/pendulum.ritt'), '--quiet', '--set', 'g=' + g, '-o', join(folder, 'g.csv')]);
    ok('and the row is that of the program', native.status === 0 && same((await state(page)).ran.last, lastRow(join(folder, 'g.csv')), 1e-9), g);
    await page.context().close();
  },

  async 'link'() {
    const page = await ready();
    const text = '# größer als ∞\n' + (await state(page)).text.replace('tolerance 1e-8', 'tolerance 1e-9');
    let n = await idles(page);
    await page.evaluate(t => window.rittPage.editor.dispatch({ changes: { from: 0, to: window.rittPage.editor.state.doc.length, insert: t } }), text);
    await idle(page, n);
    const link = await page.evaluate(() => window.rittPage.link());
    const other = await ready({}, link);
    const s = await state(other);
    ok('a link holds the model', s.text === text && s.ran.status === 0);
    ok('and is short enough to send', link.length < 2000, link.length);
    await page.context().close();
    await other.context().close();
  },

  async 'downloads'() {
    const page = await ready();
    for (const [what, begins] of [['csv', /^t,x,y,lambda,E\n/], ['ritt', /^# A pendulum/], ['c', /pendulum/], ['html', /^<!DOCTYPE html>/]]) {
      const [file] = await Promise.all([page.waitForEvent('download'), page.selectOption('#save', what)]);
      const path = join(folder, 'pendulum.' + what);
      await file.saveAs(path);
      ok(`download of ${what}`, file.suggestedFilename() === 'pendulum.' + what && begins.test(readFileSync(path, 'utf8')));
    }
    spawnSync(program, ['run', join(top, 'models/classics/pendulum/pendulum.ritt'), '--quiet', '-o', join(folder, 'native.csv')]);
    ok('the table has the rows of the program', same(lastRow(join(folder, 'pendulum.csv')), lastRow(join(folder, 'native.csv')), 1e-9));
    writeFileSync(join(folder, 'main.c'), `#include <stdio.h>
#define pendulum_INTERFACE_ONLY
#include "pendulum.c"
int main(void) {
  static pendulum_state s;
  int code = pendulum_start(&s, NULL, NULL);
  if (!code) code = pendulum_run(&s, 50, NULL, NULL);
  for (int i = 0; i < 5; i++) printf("%s%.17g", i ? "," : "", s.row[i]);
  return code;
}
`);
    const built = spawnSync('cc', ['-O1', '-ffp-contract=off', '-o', join(folder, 'solver'), join(folder, 'main.c'), join(folder, 'pendulum.c'), '-lm']);
    const solved = spawnSync(join(folder, 'solver'), [], { encoding: 'utf8' });
    ok('the solver in C compiles', built.status === 0, String(built.stderr).slice(0, 300));
    const row = (solved.stdout || '').trimEnd().split('\n').pop().split(',').map(Number);
    ok('and gives the same row', same(row, lastRow(join(folder, 'native.csv')), 1e-9), row.join(','));
    const before = complaints.length;
    const view = await open({}, 'file://' + join(folder, 'pendulum.html'));
    await view.waitForSelector('.rv canvas:visible');
    ok('the page of a run opens without a complaint', complaints.length === before, complaints.join('; '));
    await view.context().close();
    await page.context().close();
  },

  async 'plots'() {
    const page = await ready();
    let n = await idles(page);
    await page.evaluate(() => window.rittPage.load('models/classics/lorenz.ritt', window.rittPage.engine.files['models/classics/kepler.ritt']));
    await idle(page, n);
    const box = await page.locator('.rv-plots canvas').first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const panel = () => page.evaluate(() => window.rittPage.view.state().panels[0]);
    ok('values under the pointer', await comes(page, () => (window.rittPage.view.state().panels[0].near || {}).row > 0));
    const full = await panel();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await comes(page, () => window.rittPage.view.state().panels[0].zoomed);
    const zoomed = await panel();
    ok('the wheel zooms', zoomed.zoomed && zoomed.high[0] - zoomed.low[0] < full.high[0] - full.low[0]);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    ok('a drag with Shift moves', await comes(page, low => window.rittPage.view.state().panels[0].low[0] < low, zoomed.low[0]));
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    ok('a double click shows everything', await comes(page, () => !window.rittPage.view.state().panels[0].zoomed));
    await page.context().close();
  },

  // everything without a mouse
  async 'keyboard'() {
    const page = await ready();
    const reach = async (id, most = 60) => {
      for (let i = 0; i < most; i++) {
        if (await page.evaluate(w => document.activeElement && document.activeElement.id === w, id)) return true;
        await page.keyboard.press('Tab');
      }
      return false;
    };
    ok('Tab reaches the menu', await reach('models'));
    let n = await idles(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await idle(page, n);
    ok('the menu loads a model', !(await state(page)).text.startsWith('# A pendulum in Cartesian'));
    for (const id of ['run', 'share', 'save', 'theme', 'tab-picture']) ok(`Tab reaches ${id}`, await reach(id));
    await page.keyboard.press('ArrowRight');
    ok('an arrow changes the tab', await page.isVisible('#system'));
    await page.keyboard.press('ArrowLeft');
    let inside = false;
    for (let i = 0; i < 60 && !inside; i++) {
      await page.keyboard.press('Tab');
      inside = await page.evaluate(() => document.activeElement.classList.contains('cm-content'));
    }
    ok('Tab reaches the editor', inside);
    await page.keyboard.press('Tab');
    ok('and leaves it', await page.evaluate(() => !document.activeElement.classList.contains('cm-content')));
    n = await idles(page);
    await page.keyboard.press('Control+Enter');
    await idle(page, n);
    ok('Ctrl+Enter runs', true);
    const dark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const was = await dark();
    await page.focus('#theme');
    await page.keyboard.press('Enter');
    ok('light and dark', (await dark()) !== was);
    await page.context().close();
  },

  async 'stop'() {
    const page = await ready();
    const text = 'model long\nvariable x, v\nequation\n  x\' = v\n  v\' = -x\nstart x = 1, v = 0\nsolve t = 0 .. 1e7\n  rows 1000\nplot t: x\n';
    await page.evaluate(t => window.rittPage.load('models/own/model.ritt', t), text);
    await page.waitForSelector('#progress.on');
    await page.waitForFunction(() => Number(document.getElementById('progress').value) > 0);
    ok('a long run shows its progress', true);
    const n = await idles(page);
    await page.click('#stop');
    await idle(page, n);
    ok('it stops', (await page.textContent('#status')) === 'stopped');
    const m = await idles(page);
    await page.evaluate(() => window.rittPage.load('models/classics/pendulum/pendulum.ritt', window.rittPage.engine.files['models/classics/pendulum/pendulum.ritt']));
    await idle(page, m);
    ok('and the next model runs', (await state(page)).ran.status === 0);
    await page.context().close();
  },

  async 'memory'() {
    const page = await ready();
    const run = count => page.evaluate(async times => {
      for (let i = 0; i < times; i++) {
        const n = window.rittPage.runs, input = document.querySelector('#parameters input[type=number]');
        input.value = String(1 + (i % 10) / 10);
        input.dispatchEvent(new Event('change'));
        while (window.rittPage.runs === n || !document.getElementById('stop').disabled) await new Promise(done => setTimeout(done, 2));
      }
      return window.rittPage.memory;
    }, count);
    const heap = async () => {
      const session = await page.context().newCDPSession(page);
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      return usedSize;
    };
    const first = await run(20), script = await heap(), last = await run(200), after = await heap();
    ok('the memory of the engine is steady over 200 runs', last === first, `${first}, then ${last} bytes`);
    ok('and that of the page', after < script + 3e6, `${script}, then ${after} bytes`);
    await page.context().close();
  },

  async 'pictures'() {
    const shots = [
      ['desktop', { viewport: { width: 1280, height: 800 } }, 'models/gallery/strandbeest.ritt', 'picture'],
      ['desktop-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, 'models/classics/pendulum/pendulum.ritt', 'picture'],
      ['desktop-system', { viewport: { width: 1280, height: 800 } }, 'models/classics/pendulum/pendulum.ritt', 'system'],
      ['desktop-library', { viewport: { width: 1280, height: 800 } }, 'models/parts/andrews.ritt', 'library'],
      ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, 'models/classics/pendulum/pendulum.ritt', 'model'],
      ['phone-picture', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, 'models/classics/pendulum/pendulum.ritt', 'picture'],
      ['phone-system', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, 'models/classics/pendulum/pendulum.ritt', 'system']
    ];
    for (const [name, options, model, tab] of shots) {
      const page = await ready(options);
      const n = await idles(page);
      await page.evaluate(m => window.rittPage.load(m, window.rittPage.engine.files[m]), model);
      await idle(page, n);
      await page.click('#tab-' + tab, { force: true }).catch(() => {});
      await page.evaluate(() => {
        const v = window.rittPage.view;
        v.pause();
        v.go(v.state().first + 0.1 * (v.state().last - v.state().first));
      });
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(pictures, name + '.png') });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(`picture ${name}; nothing is wider than the page`, wide <= 0, wide);
      await page.context().close();
    }
  },

  // the page of `ritt serve`: the file in an editor, the program as its engine
  async 'serve'() {
    const file = join(folder, 'served.ritt'), text = readFileSync(join(top, 'models/classics/pendulum/pendulum.ritt'), 'utf8');
    writeFileSync(file, text);
    const server = spawn(program, ['serve', file, '--quiet']);
    process.once('exit', () => server.kill());
    const url = String(await new Promise(done => server.stdout.once('data', done))).trim(), before = complaints.length;
    const page = await ready({}, url);
    const now = () => page.evaluate(() => ({ runs: window.rittPage.runs, last: window.rittPage.ran.last, text: window.rittPage.editor.value, mistakes: document.querySelectorAll('.mistake').length }));
    spawnSync(program, ['run', file, '--quiet', '-o', join(folder, 'served.csv')]);
    const first = await now();
    ok('the file is in the editor of ritt serve', first.text === text);
    ok('and its last row is that of the program', same(first.last, lastRow(join(folder, 'served.csv')), 0));
    let n = await idles(page);
    writeFileSync(file, text.replace('lambda*y', 'lamda*y'));
    await idle(page, n);
    ok('a mistake in the file is underlined', (await now()).mistakes === 1);
    ok('with its hint', /10:9: .*hint: .*lambda/.test(await page.textContent('#messages')));
    n = await idles(page);
    writeFileSync(file, text.replace('g = 1', 'g = 4'));
    await idle(page, n);
    spawnSync(program, ['run', file, '--quiet', '-o', join(folder, 'served.csv')]);
    ok('a change of the file runs', same((await now()).last, lastRow(join(folder, 'served.csv')), 0));
    n = await idles(page);
    await page.fill('#editor textarea', text.replace('g = 1', 'g = 2'));
    await idle(page, n);
    ok('text in the page runs, and the file stays', !same((await now()).last, lastRow(join(folder, 'served.csv')), 1e-3) && readFileSync(file, 'utf8').includes('g = 4'));
    await page.fill('#editor textarea', text.replace('lambda*y', 'y'));
    await page.evaluate(() => {
      const area = window.rittPage.editor, at = area.value.indexOf("y'' + y + g") + 6;
      area.focus();
      area.setSelectionRange(at, at);
    });
    await page.keyboard.type('la');
    await page.waitForSelector('#names li');
    await page.screenshot({ path: join(pictures, 'serve.png') });
    ok('names are completed in ritt serve', (await page.locator('#names li').allTextContents()).some(t => t.startsWith('lambda')));
    await page.keyboard.press('Enter');
    await page.keyboard.type('*');
    const completed = (await now()).text;
    ok('by the keyboard', completed === text && await page.isHidden('#names'), completed);
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('ArrowDown');
    const second = (await page.locator('#names li[aria-selected=true]').textContent());
    await page.keyboard.press('Escape');
    ok('Ctrl+Space shows all names, Escape closes them', second !== '' && await page.isHidden('#names') && (await now()).text === text);
    await settled(page);
    n = await idles(page);
    await page.keyboard.press('Control+Enter');
    await idle(page, n);
    const [csv] = await Promise.all([page.waitForEvent('download'), page.selectOption('#save', 'csv')]);
    ok('download of the table', csv.suggestedFilename() === 'pendulum.csv');
    n = await idles(page);
    await page.fill('#editor textarea', text.replace('0 .. 50', '0 .. 1e8'));
    await page.waitForSelector('#progress.on');
    await page.click('#stop');
    await idle(page, n);
    ok('a long run shows its progress and stops', (await page.textContent('#status')) === 'stopped');
    const asked = complaints.splice(before).filter(c => !c.startsWith('a request to ' + url));
    ok('requests go to the server only', asked.length === 0, asked.join('; '));
    await page.context().close();
    server.kill();
  },

  // pages of --view, from disk
  async 'views'() {
    const models = ['models/classics/pendulum/pendulum.ritt', 'models/parts/andrews.ritt', 'models/gallery/strandbeest.ritt', 'models/classics/lorenz.ritt'].filter(m => existsSync(join(top, m)));
    for (const model of models) {
      const file = join(folder, 'view.html');
      spawnSync(program, ['run', join(top, model), '--quiet', '--view', file]);
      const before = complaints.length, view = await open({ offline: true }, 'file://' + file);
      await view.waitForSelector('.rv canvas:visible');
      await view.waitForTimeout(300);
      await view.keyboard.press('Space');
      ok(`--view of ${model} opens offline without a complaint`, complaints.length === before, complaints.slice(before).join('; '));
      await view.context().close();
    }
  },

  // every model of the repository, compared with the program
  async 'models'() {
    const page = await ready();
    const files = await page.evaluate(() => Object.entries(window.rittPage.engine.files).filter(([f, t]) => f.endsWith('.ritt') && /^model\b/m.test(t)).map(([f]) => f));
    let equal = 0, near = 0, refused = 0, long = 0;
    for (const file of choose(files)) {
      const csv = join(folder, 'model.csv');
      rmSync(csv, { force: true });
      const native = spawnSync(program, ['run', join(top, file), '--quiet', '-o', csv, '--max-time', String(LONGEST)], { env: { ...process.env, PATH: '/nowhere' }, timeout: 4000 * LONGEST });
      if (native.status === null || /the time is up/.test(String(native.stderr))) {
        console.log(`       ${file}: more than ${LONGEST} s in the program, left out`);
        long++;
        continue;
      }
      const n = await idles(page);
      await page.evaluate(f => {
        window.rittPage.ran = null;
        window.rittPage.load(f, window.rittPage.engine.files[f]);
      }, file);
      try {
        await idle(page, n, 10000 * LONGEST);
      } catch {
        ok(file, false, 'no end');
        await page.click('#stop');
        continue;
      }
      const s = await page.evaluate(() => ({ ran: window.rittPage.ran && { last: window.rittPage.ran.last, status: window.rittPage.ran.status }, messages: window.rittPage.ran ? window.rittPage.ran.messages : window.rittPage.checked.messages }));
      const good = !!s.ran && s.ran.status === 0;
      if (!existsSync(csv) || native.status !== 0 || !good) {
        ok(`${file}: refused by both or by none`, good === (native.status === 0), `${native.stderr} / ${JSON.stringify(s.messages)}`);
        refused++;
        continue;
      }
      const mine = lastRow(csv), off = distance(s.ran.last, mine);
      if (off === 0) equal++;
      else near++;
      ok(`${file}: ${off === 0 ? 'the same bits' : 'off by ' + off.toExponential(1)}`, off <= TOLERANCE, `${s.ran.last} / ${mine}`);
    }
    console.log(`       the same bits: ${equal}; last digits differ: ${near}; refused by both: ${refused}; left out: ${long}`);
    await page.context().close();
  }
};

// Large linear systems are solved by LAPACK and KLU in the program, by Ritt's own solvers in the page. A sample has only models that are
// quick in the program; the page takes up to ten times as long.
const sample = Number(process.env.RITT_WEB_SAMPLE || 0);
const LONGEST = sample ? 3 : 60, TOLERANCE = 1e-5;

// All models, or a sample. Two models are always in it: numbers of theirs were wrong in the page once, since a long has 32 bits there.
function choose(files) {
  const word = process.env.RITT_WEB_MODEL;
  if (word) return files.filter(f => f.includes(word));
  if (!sample) return files;
  const rank = f => createHash('sha256').update((process.env.RITT_WEB_SEED || '') + f).digest('hex');
  const always = files.filter(f => /nuclear_waste|capacitor_ladder/.test(f));
  const others = files.filter(f => !always.includes(f)).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return always.concat(others.slice(0, sample - always.length));
}

// The last row of a CSV file.
function lastRow(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines[lines.length - 1].split(',').map(Number);
}
// The largest difference, relative to the larger number, at least to 1.
function distance(a, b) {
  if (!a || a.length !== b.length) return Infinity;
  let most = 0;
  for (let i = 0; i < b.length; i++) {
    const x = a[i] === null ? NaN : a[i];
    if (Number.isNaN(x) && !Number.isFinite(b[i])) continue;
    const d = Math.abs(x - b[i]) / Math.max(1, Math.abs(b[i]));
    if (!(d <= most)) most = Number.isNaN(d) ? Infinity : d;
  }
  return most;
}
function same(a, b, tolerance) { return distance(a, b) <= tolerance; }

for (const [name, test] of Object.entries(tests)) {
  if (only.length && !only.some(w => name.includes(w))) continue;
  console.log('== ' + name);
  try { await test(); } catch (error) {
    ok(name, false, error.message.split('\n').slice(0, 3).join(' '));
    for (const context of browser.contexts()) await context.close(); // the next test is not disturbed
  }
}
ok('no complaint of the browser in all of this', complaints.length === 0, complaints.slice(0, 5).join('; '));
await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(failures ? `${failures} failed` : 'all hold');
process.exit(failures ? 1 : 0);
