// The names that both editors propose. The words of the language are those of tools/editor/ritt.tmLanguage.json, which the tests
// compare with the words that the program knows.
import grammar from '../tools/editor/ritt.tmLanguage.json';

// The words of the patterns with this name.
function wordsOf(name) {
  return grammar.patterns.filter(p => p.name.startsWith(name)).flatMap(p => (/\(([a-z0-9_|]+)\)/.exec(p.match) || ['', ''])[1].split('|'));
}
const sectionWords = [...new Set(wordsOf('keyword.control.section'))].map(label => ({ label, type: 'keyword', detail: 'section' }));
const otherWords = [
  ...wordsOf('support.function').map(label => ({ label, type: 'function', detail: 'function', apply: label + '(' })),
  ...wordsOf('keyword.other.setting').map(label => ({ label, type: 'property', detail: 'setting' })),
  ...wordsOf('keyword.other.scene').map(label => ({ label, type: 'class', detail: 'shape' })),
  ...wordsOf('keyword.other.look').map(label => ({ label, type: 'property', detail: 'look' })),
  ...[...wordsOf('keyword.operator.word'), ...wordsOf('keyword.other.ritt'), 'pi'].filter(w => w).map(label => ({ label, type: 'keyword' }))
];

// What can follow the text `before` of a line: sections in the first column, libraries after include, then names of the model and
// words of the language. `typed` is the part that is there already; null if there is nothing to propose.
export function proposeNames(before, asked, listen) {
  const include = /^include\s*<(\w*)$/.exec(before);
  if (include) return { typed: include[1], options: listen.libraries().map(name => ({ label: name, apply: name + '>', type: 'namespace', detail: 'library' })) };
  const [typed] = /(?:[A-Za-z_]\w*)?$/.exec(before);
  if (!typed && !asked) return null;
  if (before.includes('#') || before.split('"').length % 2 === 0) return null; // a comment, a string
  return { typed, options: typed === before ? sectionWords : [...listen.names(), ...otherWords] };
}
