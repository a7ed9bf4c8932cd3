// The editor of the exercises, and what reads Python's top level. `make codemirror` bundles it into
// book/_vendor/codemirror, from where editor.js loads it when a reader first opens an exercise.
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

// the classes of the pages' own code, so that colors are the same
const colors = tagHighlighter([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "k" },
  { tag: tags.operatorKeyword, class: "ow" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: [tags.string, tags.special(tags.string)], class: "s2" },
  { tag: tags.number, class: "mf" },
  { tag: tags.comment, class: "c1" },
  { tag: [tags.function(tags.definition(tags.variableName))], class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
  { tag: [tags.operator, tags.arithmeticOperator, tags.compareOperator, tags.bitwiseOperator], class: "o" },
  { tag: tags.meta, class: "nd" },
]);

const indent = ({ state, dispatch }) => {
  if (state.selection.ranges.some((range) => !range.empty)) return indentMore({ state, dispatch });
  const { from } = state.selection.main;
  const spaces = " ".repeat(4 - ((from - state.doc.lineAt(from).from) % 4));
  dispatch(state.update(state.replaceSelection(spaces), { scrollIntoView: true, userEvent: "input" }));
  return true;
};

// An editor in a box. Tab indents; Escape and then Tab leaves.
export const edit = (parent, { text, label, describedby, changed, check }) =>
  new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        pythonLanguage,
        syntaxHighlighting(colors),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedby, tabindex: "0" }),
        keymap.of([
          { key: "Mod-Enter", run: () => (check(), true) },
          { key: "Tab", run: indent, shift: indentLess },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });

// The statements of a module: where each begins and ends, and the name that it defines, if one.
export const statements = (text) => {
  const found = [];
  for (let node = pythonLanguage.parser.parse(text).topNode.firstChild; node; node = node.nextSibling) {
    const defines = node.getChild("FunctionDefinition") ?? node.getChild("ClassDefinition") ?? node;
    const named = /^(Function|Class)Definition$/.test(defines.name) && defines.getChild("VariableName");
    const to = node.from + text.slice(node.from, node.to).trimEnd().length; // a body ends with its line
    found.push({ from: node.from, to, name: named ? text.slice(named.from, named.to) : null });
  }
  return found;
};
