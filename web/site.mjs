// node site.mjs SITE MODULES: finishes the pages that mkdocs has made in SITE. Models are coloured, formulas are set by KaTeX as
// MathML, and the index of the search becomes a script, so that it works from disk.
import { createRequire } from 'node:module';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [site, modules] = process.argv.slice(2).map(path => resolve(path));
const top = fileURLToPath(new URL('..', import.meta.url));
const katex = existsSync(join(modules, 'katex')) ? createRequire(join(modules, 'package.json'))('katex') : null;
const grammar = JSON.parse(readFileSync(join(top, 'tools/editor/ritt.tmLanguage.json'), 'utf8'));

const classes = [[/^comment/, 'c'], [/^string/, 's'], [/^keyword\.control|^keyword\.operator\.word/, 'k'], [/^constant|^support\.constant/, 'n'], [/^support\.function/, 'f'], [/^keyword\.other/, 'w'], [/^keyword\.operator/, 'o']];
const rules = grammar.patterns.map(p => ({ at: new RegExp(p.match, 'y'), kind: classes.find(c => c[0].test(p.name))[1] }));
const rest = /[A-Za-z_]\w*|\s+|./uy;

const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const plain = html => html.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&#39;|&apos;/g, "'").replace(/&amp;/g, '&');

function colourLine(line) {
  let out = '', at = 0;
  while (at < line.length) {
    const rule = rules.find(r => (r.at.lastIndex = at, (r.found = r.at.exec(line)) && r.found[0]));
    if (rule) {
      out += `<span class="r-${rule.kind}">${escape(rule.found[0])}</span>`;
      at += rule.found[0].length;
    } else {
      rest.lastIndex = at;
      const piece = rest.exec(line)[0];
      out += escape(piece);
      at += piece.length;
    }
  }
  return out;
}

// Is it text of a model? The fence says so, or a line that begins a section.
const sections = new RegExp('^(' + /\(([a-z0-9|]+)\)/.exec(grammar.patterns.find(p => p.name.startsWith('keyword.control')).match)[1] + ')\\b( |$)', 'm');
function isModel(language, text) {
  if (language) return language === 'ritt';
  return !/^\$ |^(>>>|#include|import |from |int |void )/m.test(text) && sections.test(text) && !/error:|hint:/.test(text);
}

let formulas = 0, models = 0;
function setBlock(all, language, html) {
  const text = plain(html);
  if (language === 'math' && katex) {
    formulas++;
    return `<div class="formula">${katex.renderToString(text, { output: 'mathml', displayMode: true, throwOnError: true, strict: 'error' })}</div>`;
  }
  if (!isModel(language, text)) return `<div class="block">${all}</div>`;
  models++;
  const whole = /^model\s/m.test(text) && /^solve\s/m.test(text) && !/^include\s+"/m.test(text) && !/table\s*"/.test(text);
  return `<div class="block"${whole ? ' data-run' : ''}><pre><code class="ritt">${text.split('\n').map(colourLine).join('\n')}</code></pre></div>`;
}

function finishPage(path) {
  let html = readFileSync(path, 'utf8');
  html = html.replace(/<pre><code(?: class="language-(\w+)")?>([^]*?)<\/code><\/pre>/g, setBlock);
  if (katex) html = html.replace(/\$<code>([^<]*)<\/code>\$/g, (all, text) => {
    formulas++;
    return katex.renderToString(plain(text), { output: 'mathml', throwOnError: true, strict: 'error' });
  });
  html = html.replace(/<script[^>]*src="[^"]*search\/main\.js"[^>]*><\/script>/g, '');
  // Debian's theme names scripts that it does not have
  html = html.replace(/<script[^>]*src="((?:\.\.\/)*js\/[^"]+)"[^>]*><\/script>/g, (all, src) => (existsSync(join(path, '..', src)) ? all : ''));
  writeFileSync(path, html);
}

function walk(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) { if (!['play', 'files'].includes(relative(site, path))) walk(path); }
    else if (name.endsWith('.html')) finishPage(path);
  }
}
walk(site);

// the search, as a script
const index = join(site, 'search/search_index.json');
if (existsSync(index)) {
  const docs = JSON.parse(readFileSync(index, 'utf8')).docs.map(d => ({ at: d.location, title: d.title, text: plain(d.text) }));
  writeFileSync(join(site, 'search_data.js'), `var rittPlay = ${existsSync(join(site, 'play/index.html'))};\nvar rittPages = ${JSON.stringify(docs).replace(/</g, '\\u003c')};\n`);
  rmSync(join(site, 'search'), { recursive: true });
}
console.log(`${models} models coloured, ${formulas} formulas set`);
