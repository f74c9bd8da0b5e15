// The engine of the page of `ritt serve`: the program, asked over HTTP. It has the functions of engine.js, and watch(), which
// follows the file of the model.
const LOOK = 700; // milliseconds between looks at the file

export class Engine {
  constructor(listen) {
    this.listen = listen; // { progress, part }
    this.abort = null;    // ends the question that is being answered
    this.began = 0;
    this.files = {};
  }

  async begin() {
    this.libraries = await (await fetch('libraries')).json();
    const file = await (await fetch('file')).json();
    this.title = file.name;
  }

  get busy() { return this.abort !== null; }
  get age() { return this.abort ? performance.now() - this.began : 0; }

  // Asks one question. The promise of a question that is stopped gives null.
  async ask(what, question) {
    const abort = new AbortController();
    this.abort = abort;
    this.began = performance.now();
    try {
      const answer = await fetch(what, { method: 'POST', signal: abort.signal, body: what === 'table' ? '' : (question.values || '') + '\0' + question.text });
      if (!answer.ok) return { failed: 'the server answers ' + answer.status };
      if (what === 'table') return { text: await answer.text() };
      return { result: await this.read(answer.body.getReader()), took: performance.now() - this.began, memory: 0 };
    } catch (error) {
      return abort.signal.aborted ? null : { failed: 'the server does not answer' };
    } finally {
      if (this.abort === abort) this.abort = null;
    }
  }

  // Each line of the answer is progress, the curve up to now, or, as the last one, the result.
  async read(reader) {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      text += done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) {
        const line = text.slice(0, end), kind = line[0];
        if (kind === 'P') this.listen.progress(JSON.parse(line.slice(1)));
        else if (kind === 'V') this.listen.part(line.slice(1));
        else return line.slice(1);
      }
      if (done) throw new Error('the answer is not complete');
    }
  }

  stop() {
    if (this.abort) this.abort.abort();
    this.abort = null;
  }

  // Loads the file, and loads it again whenever it has changed.
  async watch(load, say) {
    let version = null, lost = false;
    const look = async () => {
      if (this.busy) return;
      try {
        const now = await (await fetch('version')).text();
        if (lost) say('the server answers again');
        lost = false;
        if (now === version || now === 'none') return; // editors may remove a file before they write it
        const file = await (await fetch('file')).json();
        version = now;
        load(file.name, file.text);
      } catch (error) {
        if (!lost) say('the server has ended', true);
        lost = true;
      }
    };
    await look();
    setInterval(look, LOOK);
  }
}

// Links are not made here.
const deflate = null, inflate = null;
