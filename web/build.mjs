// node build.mjs ENGINE MIX MODULES SITE: makes SITE/index.html from the engine that CMake built in ENGINE and the packages in MODULES;
// MIX is the program of mix.c. Everything is in this one file. The engine, the scripts, the models and the text of emitted solvers are
// compressed inside it.
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const top = join(here, '..');
const [engine, mix, modules, site] = process.argv.slice(2).map(path => resolve(path));
const { build } = createRequire(join(modules, 'package.json'))('esbuild');
const read = (...path) => readFileSync(join(...path), 'utf8');

// Bundles a script; packages are found in MODULES.
async function bundle(entry, format) {
  const result = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format, target: 'es2022', nodePaths: [modules],
    loader: { '.json': 'json' }, legalComments: 'none', charset: 'utf8'
  });
  return result.outputFiles[0].text;
}

// The models and the files that they name, by their paths.
function collect(folder, out) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) collect(path, out);
    else if (/\.(ritt|inc)$/.test(name) || (/\.csv$/.test(name) && !/answers|trajectory/.test(name))) out[relative(top, path)] = read(path);
  }
  return out;
}
const files = collect(join(top, 'models'), {});

// Text inside a script element must not end it.
const guard = text => text.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
const pack = bytes => execFileSync('xz', ['--format=lzma', '--lzma1=preset=9e,lc=4,pb=0', '-c'], { input: bytes, maxBuffer: 1 << 28 }).toString('base64');

// The text of emitted solvers, from the C strings of its lines; without comments and indentation, to be small.
const source = read(engine, 'amalgamation.c').split('\n').map(line => /^ *"((?:[^"\\]|\\.)*)",?$/.exec(line)).filter(m => m)
  .map(m => m[1].replace(/\\(?:([0-7]{3})|(.))/g, (all, octal, c) => (octal ? String.fromCharCode(parseInt(octal, 8)) : c === 'n' ? '\n' : c === 't' ? '\t' : c))).join('').replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[^]*?\*\//g, t => (t.startsWith('/*') ? '' : t))
  .replace(/^[ \t]+|[ \t]+$/gm, '').replace(/\n{2,}/g, '\n');

const glue = await build({ stdin: { contents: read(engine, 'ritt_web.js') }, minify: true, write: false, charset: 'utf8', logLevel: 'error' });
const worker = glue.outputFiles[0].text + '\n' + await bundle('worker.js', 'iife');
const page = await bundle('page.js', 'iife');
const view = read(top, 'src/view/view.js') + read(top, 'src/view/sliders.js');
const minified = await build({ stdin: { contents: view }, minifyWhitespace: true, minifySyntax: true, write: false, charset: 'utf8' });
const style = await build({
  stdin: { contents: read(top, 'src/view/view.css') + read(here, 'page.css') , loader: 'css' }, minify: true, write: false
});

const scripts = [worker, minified.outputFiles[0].text, page, JSON.stringify(files)];
if (scripts.some(text => text.includes('\0'))) throw new Error('a script has a byte 0, which separates them');
const parts = {
  STYLE: style.outputFiles[0].text,
  ENGINE: pack(readFileSync(engine + '.wasm')),
  SCRIPTS: pack(scripts.join('\0')),
  SOURCE: execFileSync(mix, { input: source, maxBuffer: 1 << 28 }).toString('base64'),
  VIEW: '',
  PAGE: guard(await bundle('begin.js', 'iife')),
  CONNECT: ''
};
const html = read(here, 'page.html').replace(/\{\{([A-Z]+)\}\}/g, (all, name) => parts[name]);
mkdirSync(site, { recursive: true });
writeFileSync(join(site, 'index.html'), html);
const small = brotliCompressSync(html).length, gzip = gzipSync(html, { level: 9 }).length;
for (const [name, text] of Object.entries(parts)) if (text) console.log(`  ${name.toLowerCase()}: ${Math.round(gzipSync(text, { level: 9 }).length / 1000)} kB`);
console.log(`${join(site, 'index.html')}: ${Math.round(html.length / 1000)} kB; as hosts send it: ${Math.round(small / 1000)} kB by brotli, ${Math.round(gzip / 1000)} kB by gzip`);
if (gzip > 900000) {
  console.error('the page is larger than 900 kB compressed by gzip');
  process.exit(1);
}
