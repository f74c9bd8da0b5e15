// node build.mjs ENGINE MODULES SITE: makes SITE/index.html from the engine that CMake built in ENGINE and the packages in
// MODULES. Everything is in this one file: the engine and the models are compressed inside it.
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const top = join(here, '..');
const [engine, modules, site] = process.argv.slice(2).map(path => resolve(path));
const { build } = createRequire(join(modules, 'package.json'))('esbuild');
const read = (...path) => readFileSync(join(...path), 'utf8');

// Bundles a script; packages are found in MODULES.
async function bundle(entry, format) {
  const result = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format, target: 'es2020', nodePaths: [modules],
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
const pack = bytes => gzipSync(bytes, { level: 9 }).toString('base64');

const worker = read(engine, 'ritt_web.js') + '\n' + await bundle('worker.js', 'iife');
const page = await bundle('page.js', 'iife');
const view = read(top, 'src/view/view.js') + read(top, 'src/view/sliders.js');
const minified = await build({ stdin: { contents: view }, minifyWhitespace: true, minifySyntax: true, write: false, charset: 'utf8' });
const style = await build({
  stdin: { contents: read(top, 'src/view/view.css') + read(here, 'page.css') , loader: 'css' }, minify: true, write: false
});

const parts = {
  STYLE: style.outputFiles[0].text,
  ENGINE: pack(readFileSync(join(engine, 'ritt_web.wasm'))),
  FILES: pack(JSON.stringify(files)),
  WORKER: guard(worker),
  VIEW: guard(minified.outputFiles[0].text),
  PAGE: guard(page)
};
const html = read(here, 'page.html').replace(/\{\{([A-Z]+)\}\}/g, (all, name) => parts[name]);
mkdirSync(site, { recursive: true });
writeFileSync(join(site, 'index.html'), html);
const small = gzipSync(html, { level: 9 }).length;
console.log(`${join(site, 'index.html')}: ${Math.round(html.length / 1000)} kB, ${Math.round(small / 1000)} kB compressed`);
if (small > 1300000) {
  console.error('the page is larger than 1300 kB compressed');
  process.exit(1);
}
