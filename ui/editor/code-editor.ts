import { defaultKeymap, history, historyKeymap, toggleComment } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import type { EditorState } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap } from '@codemirror/view'
import type { Problem } from '../jobs/problems.ts'
import {
  type CodeView,
  type CodeViewOptions,
  createView,
  highlightLine,
  typingOverSelection,
} from './code-view.ts'

/** An editor of one program inside a shadow root. */
interface CodeEditor extends CodeView {
  text(): string
  /** Replaces the whole text; one undo step. */
  setText(text: string): void
  change(change: { from: number; to: number; insert: string }): void
  /** Marks problems, which have to belong to the current text. */
  show(problems: readonly Problem[]): void
  goTo(line: number, column: number): void
  focus(): void
}

interface CodeEditorOptions extends CodeViewOptions {
  changed?: (text: string) => void
}

/** Opens an editor. */
export function openCodeEditor({ changed, ...options }: CodeEditorOptions): CodeEditor {
  const view = createView(options, [
    history(),
    typingOverSelection,
    highlightActiveLine(),
    lintGutter(),
    indentUnit.of('  '),
    // Tab is left to the browser, so that the keyboard can leave the editor.
    keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]),
    keymap.of([{ key: 'Mod-/', run: toggleComment }]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed?.(update.state.doc.toString())
    }),
  ])
  return {
    text: () => view.state.doc.toString(),
    setText(next) {
      if (next !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
      }
    },
    change(change) {
      view.dispatch({ changes: change, scrollIntoView: true })
      view.focus()
    },
    show(problems) {
      view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state, problems)))
      const described = problems.length > 0 ? { 'aria-invalid': 'true' } : { 'aria-invalid': 'false' }
      for (const [name, value] of Object.entries(described)) view.contentDOM.setAttribute(name, value)
    },
    highlight: (line) => highlightLine(view, line),
    goTo(line, column) {
      const at = offsetAt(view.state, line, column)
      view.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: 'center' }),
      })
      view.focus()
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function offsetAt({ doc }: EditorState, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(from + column - 1, to)
}

function toDiagnostics(state: EditorState, problems: readonly Problem[]): Diagnostic[] {
  return problems.flatMap(({ line, column = 1, text }) => {
    if (line === undefined || line > state.doc.lines) return []
    const from = offsetAt(state, line, column)
    const word = /^(\w+|.)/.exec(state.sliceDoc(from, state.doc.lineAt(from).to))
    return [{ from, to: from + (word?.[0].length ?? 0), severity: 'error' as const, message: text }]
  })
}
