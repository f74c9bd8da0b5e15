// The language in the editor: colours and names. The words are those of tools/editor/ritt.tmLanguage.json, which the tests
// compare with the words that the program knows.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import grammar from '../tools/editor/ritt.tmLanguage.json';

const styles = [
  [/^comment/, 'comment'], [/^string/, 'string'], [/^keyword\.control/, 'keyword'], [/^keyword\.operator\.word/, 'controlKeyword'],
  [/^constant\.language/, 'atom'], [/^support\.function/, 'macroName'], [/^support\.constant/, 'atom'], [/^keyword\.other/, 'propertyName'],
  [/^constant\.numeric/, 'number'], [/^keyword\.operator/, 'operator']
];
const rules = grammar.patterns.map(p => ({ at: new RegExp(p.match, 'y'), style: styles.find(s => s[0].test(p.name))[1], name: p.name }));
const rest = /[A-Za-z_]\w*|\s+|./uy;

export const ritt = StreamLanguage.define({
  name: 'ritt',
  token(stream) {
    for (const rule of rules) {
      rule.at.lastIndex = stream.pos;
      const found = rule.at.exec(stream.string);
      if (found && found[0]) {
        stream.pos += found[0].length;
        return rule.style;
      }
    }
    rest.lastIndex = stream.pos;
    const found = rest.exec(stream.string);
    stream.pos += found ? found[0].length : 1;
    return null;
  },
  languageData: { commentTokens: { line: '#' } }
});

export const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.keyword, color: 'var(--code-section)', fontWeight: '600' },
  { tag: tags.controlKeyword, color: 'var(--code-section)' },
  { tag: tags.atom, color: 'var(--code-number)' },
  { tag: tags.macroName, color: 'var(--code-function)' },
  { tag: tags.propertyName, color: 'var(--code-word)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.operator, color: 'var(--code-operator)' }
]));

// The words of the patterns with this name.
function words(name) {
  return grammar.patterns.filter(p => p.name.startsWith(name)).flatMap(p => (/\(([a-z0-9_|]+)\)/.exec(p.match) || ['', ''])[1].split('|'));
}
const sections = [...new Set(words('keyword.control.section'))].map(label => ({ label, type: 'keyword', detail: 'section' }));
const functions = words('support.function').map(label => ({ label, type: 'function', apply: label + '(' }));
const settings = words('keyword.other.setting').map(label => ({ label, type: 'property', detail: 'setting' }));
const shapes = words('keyword.other.scene').map(label => ({ label, type: 'class', detail: 'shape' }));
const looks = words('keyword.other.look').map(label => ({ label, type: 'property', detail: 'look' }));
const others = [...words('keyword.operator.word'), ...words('keyword.other.ritt'), 'pi'].filter(w => w).map(label => ({ label, type: 'keyword' }));

// Completion: sections in the first column, libraries after include, then names of the model and words of the language.
export function complete(names, libraries) {
  return context => {
    const line = context.state.doc.lineAt(context.pos), before = line.text.slice(0, context.pos - line.from);
    const include = /^include\s*<(\w*)$/.exec(before);
    if (include) return { from: context.pos - include[1].length, options: libraries().map(name => ({ label: name, apply: name + '>', type: 'namespace', detail: 'library' })) };
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (!word && !context.explicit) return null;
    const from = word ? word.from : context.pos, first = from === line.from;
    if (/#/.test(before) || (before.split('"').length - 1) % 2) return null;
    if (first) return { from, options: sections, validFor: /^\w*$/ };
    return { from, options: [...names(), ...functions, ...settings, ...shapes, ...looks, ...others], validFor: /^\w*$/ };
  };
}
