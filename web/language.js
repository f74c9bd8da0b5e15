// The language in the editor of the web page: colours.
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
