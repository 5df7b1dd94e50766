// The editor, CodeMirror. pack.mjs bundles it into one module.

import { indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: "code-keyword" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: "code-comment" },
  { tag: [tags.string, tags.number, tags.bool, tags.character], class: "code-literal" },
  { tag: [tags.typeName, tags.namespace, tags.standard(tags.typeName)], class: "code-type" },
  { tag: [tags.processingInstruction, tags.meta], class: "code-comment" },
]);

/**
 * @param {Element} parent
 * @param {{ changed: (text: string) => void, check: () => void }} events changed: the learner edited the text; check: Ctrl-Enter
 */
export function createEditor(parent, { changed, check }) {
  const policy = EditorView.cspNonce.of("editor");  // lets the page's content security policy accept CodeMirror's styles
  const extensions = [
    policy, keymap.of([{ key: "Mod-Enter", run: () => (check(), true) }, indentWithTab]), basicSetup, cpp(), indentUnit.of("  "),
    syntaxHighlighting(colours), lintGutter(),
    EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()); }),
  ];
  const view = new EditorView({ parent, extensions: policy });
  return {
    get text() { return view.state.doc.toString(); },
    /** Shows another text with an empty undo history. @param {string} label for screen readers */
    open(text, label) {
      view.setState(EditorState.create({ doc: text, extensions: [...extensions, EditorView.contentAttributes.of({ "aria-label": label })] }));
    },
    /** Replaces the text. The learner can undo the replacement. */
    replace(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } }); },
    /** Marks the positions of messages, [{ line, column, severity, message }]. Lines and columns (in bytes) start at 1. */
    mark(messages) {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, messages.filter(({ line }) => line <= doc.lines).map(({ line, column, severity, message }) => {
        const from = place(doc, line, column), to = doc.line(line).to;
        return { from: Math.min(from, to), to, severity, message };
      })));
    },
    /** Moves the cursor to a line and a column. */
    go(line, column) {
      const at = place(view.state.doc, Math.min(line, view.state.doc.lines), column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
  };
}

/** The editor's position of a line and a column. clang counts columns in bytes of UTF-8. */
function place(doc, line, column) {
  const { from, text } = doc.line(line);
  return from + new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, Math.max(column - 1, 0))).length;
}
