// Begins the page: its scripts are compressed in it, and run when they are unpacked.
import { unpackTexts } from './lzma.js';

const [worker, view, page, files] = unpackTexts('scripts');
window.rittParts = { worker, files };
for (const text of [view, page]) {
  const script = document.createElement('script');
  script.textContent = text;
  document.body.append(script);
}
