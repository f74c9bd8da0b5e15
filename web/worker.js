// The worker of the page: the engine, one question at a time. A question that takes too long is ended by ending the worker.

let engine = null;

// A folder of the file system in memory, with the folders above it.
function makeFolder(path) {
  let at = '';
  for (const name of path.split('/').slice(0, -1)) {
    if (!name) continue;
    at += '/' + name;
    if (!engine.FS.analyzePath(at).exists) engine.FS.mkdir(at);
  }
}

function writeFile(path, text) {
  makeFolder(path);
  engine.FS.writeFile(path, text);
}

async function begin(message) {
  engine = await rittEngine({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(message.module, imports).then(instance => done(instance, message.module));
      return {};
    },
    print() {}, printErr() {}
  });
  engine.progress = (part, x, steps) => postMessage({ progress: { part, x, steps } });
  engine.part = view => postMessage({ part: view });
  for (const [path, text] of Object.entries(message.files)) writeFile('/' + path, text);
  postMessage({ ready: true, libraries: engine.ccall('ritt_web_libraries', 'string', [], []) });
}

// The text of emitted solvers, compressed. The engine takes it once.
function takeSource(packed) {
  const at = engine._malloc(packed.length);
  engine.HEAPU8.set(packed, at);
  engine._ritt_web_source(at, packed.length);
  engine._free(at);
}

// The text of a model lies where its file was, so that it finds the files beside it.
function answer(message) {
  const { id, what, path, text, values } = message;
  try {
    if (what === 'table') return postMessage({ id, text: engine.ccall('ritt_web_table', 'string', [], []) });
    if (message.source) takeSource(message.source);
    writeFile('/' + path, text);
    const began = performance.now();
    const result = engine.ccall('ritt_web_' + what, 'string', ['string', 'string'], ['/' + path, values || '']);
    postMessage({ id, result, took: performance.now() - began, memory: engine.HEAP8 ? engine.HEAP8.length : 0 });
  } catch (error) {
    postMessage({ id, failed: String(error) });
  }
}

onmessage = event => (event.data.module ? begin(event.data) : answer(event.data));
