// The editor of the page, made of CodeMirror. plain_editor.js has the same functions for a page without packages.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { colours, ritt } from './language.js';
import { proposeNames } from './names.js';

const look = [lineNumbers(), drawSelection(), bracketMatching(), ritt, colours, EditorState.tabSize.of(2), indentUnit.of('  ')];

// Names for CodeMirror's list.
const complete = listen => context => {
  const line = context.state.doc.lineAt(context.pos), found = proposeNames(line.text.slice(0, context.pos - line.from), context.explicit, listen);
  return found && { from: context.pos - found.typed.length, options: found.options, validFor: /^\w*$/ };
};

// An editor in the element parent. listen: { change(), run(), save(), names(), libraries() }.
export function makeEditor(parent, listen) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: '',
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run: () => (listen.run(), true) }, { key: 'Mod-s', run: () => (listen.save(), true) }]),
        look, history(), highlightActiveLine(), lintGutter(),
        autocompletion({ override: [complete(listen)] }),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': 'Text of the model', spellcheck: 'false' }),
        EditorView.updateListener.of(update => update.docChanged && listen.change())
      ]
    })
  });
  return {
    view,
    text: () => view.state.doc.toString(),
    setText: text => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true }),
    insert: (at, text) => view.dispatch({ changes: { from: at, insert: text } }),
    // marks: [{ from, to, message }]
    setMarks: marks => view.dispatch(setDiagnostics(view.state, marks.map(m => ({ ...m, severity: 'error' })))),
    goTo(at) {
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    }
  };
}

// A text to read; returns the function that shows another one.
export function makeReader(parent, label) {
  const view = new EditorView({ parent, state: EditorState.create({ doc: '', extensions: [look, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label })] }) });
  return text => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
