import { partOf, unpack } from './lzma.js';

// The engine as the page sees it: ask(what, question) gives a promise. There is one worker; stop() ends it and begins another.
export class Engine {
  constructor(listen) {
    this.listen = listen; // { progress, part, ready }
    this.waiting = null;  // the question that is being answered
    this.next = 0;
  }

  async begin() {
    const { worker, files } = window.rittParts;
    this.url = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
    const module = WebAssembly.compile(unpack('engine'));
    this.files = JSON.parse(files);
    this.module = await module;
    await this.start();
  }

  start() {
    this.worker = new Worker(this.url);
    this.ready = new Promise(done => {
      this.worker.onmessage = event => {
        const m = event.data;
        if (m.ready) {
          this.libraries = JSON.parse(m.libraries);
          done();
        } else if (m.progress) this.listen.progress(m.progress);
        else if (m.part) this.listen.part(m.part);
        else if (this.waiting && m.id === this.waiting.id) {
          const { done: answered } = this.waiting;
          this.waiting = null;
          answered(m);
        }
      };
    });
    this.worker.onerror = event => this.waiting && this.waiting.done({ failed: event.message });
    this.worker.postMessage({ module: this.module, files: this.files });
    return this.ready;
  }

  get busy() { return this.waiting !== null; }
  get age() { return this.waiting ? performance.now() - this.waiting.began : 0; }

  // Asks one question. The promise of a question that is stopped gives null.
  async ask(what, question) {
    await this.ready;
    return new Promise(done => {
      this.waiting = { id: ++this.next, done, began: performance.now(), what };
      this.worker.postMessage({ id: this.next, what, ...question, source: what === 'emit' ? partOf('source') : undefined });
    });
  }

  stop() {
    const waiting = this.waiting;
    this.waiting = null;
    this.worker.terminate();
    this.start();
    if (waiting) waiting.done(null);
  }
}

export async function inflate(bytes, format) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function deflate(bytes, format) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
