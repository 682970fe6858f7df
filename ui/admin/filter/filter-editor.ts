import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
} from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { type Command, Decoration, EditorView, keymap, placeholder } from '@codemirror/view'
import { theme, typingOverSelection } from '../../editor/code-view.ts'
import type { Offer } from './completion.ts'
import type { Piece, PieceKind } from './pieces.ts'
import type { Problem } from './problem.ts'

/** The language of filters. The box knows it before the editor loads, and two scripts would share it. */
interface FilterLanguage {
  piecesOf: (filter: string) => Piece[]
  oneLine: (text: string) => string
  complete: (filter: string, caret: number) => Offer
}

interface FilterEditorOptions {
  root: ShadowRoot
  text: string
  /** The place of the caret, counted from 0. */
  caret: number
  label: string
  /** Shown while there is no text. */
  example: string
  language: FilterLanguage
  changed: (text: string) => void
  run: () => void
}

/**
 * Opens a filter of one line in a shadow root: arrow keys choose, Tab completes, Enter runs it, Ctrl+Space
 * opens the list.
 */
export function openFilterEditor(options: FilterEditorOptions) {
  const { root, text, caret, label, example, language, changed, run } = options
  const runFilter: Command = (editor) => {
    closeCompletion(editor)
    run()
    return true
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: Math.min(caret, text.length) },
      extensions: [
        filterTheme,
        theme,
        history(),
        typingOverSelection,
        autocompletion({
          override: [(context) => offer(context, language)],
          activateOnCompletion: ({ apply, label }) => apply !== undefined || label.endsWith('.'),
          activateOnTypingDelay: 0,
          interactionDelay: 0,
          selectOnOpen: false,
          icons: false,
          compareCompletions: () => 0,
        }),
        keymap.of([
          { key: 'Tab', run: completeFirst },
          { key: 'Enter', run: runFilter, shift: runFilter },
          ...historyKeymap,
          ...standardKeymap,
        ]),
        EditorView.clipboardInputFilter.of(language.oneLine),
        EditorState.transactionFilter.of((change) => (change.newDoc.lines > 1 ? [] : change)),
        // An element, because axe refuses the attribute that a text adds to a combobox.
        placeholder(() => Object.assign(document.createElement('span'), { textContent: example })),
        EditorView.decorations.compute(['doc'], ({ doc }) => paint(language.piecesOf(doc.toString()))),
        EditorView.contentAttributes.of(({ state }) => ({
          role: 'combobox',
          'aria-label': label,
          'aria-multiline': 'false',
          'aria-expanded': String(completionStatus(state) === 'active'),
        })),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed(state.doc.toString())
        }),
      ],
    }),
  })
  return {
    /** Replaces the whole text; one undo step. */
    setText(next: string) {
      const { doc } = view.state
      if (next === doc.toString()) return
      view.dispatch({
        changes: { from: 0, to: doc.length, insert: next },
        selection: { anchor: next.length },
      })
    },
    /** Underlines a problem of the current text. `error` is what a screen reader says of a refused filter. */
    show(problem: Problem | undefined, error: string) {
      const { length } = view.state.doc
      const from = Math.min(problem?.at ?? 0, length)
      const to = Math.min(from + (problem?.length ?? 0), length)
      const found = problem ? [{ from, to, severity: 'error' as const, message: problem.message }] : []
      view.dispatch(setDiagnostics(view.state, found))
      view.contentDOM.setAttribute('aria-invalid', String(error !== ''))
      view.contentDOM.setAttribute('aria-description', error)
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/** What may stand at the caret; the list follows each key without being asked for again. */
function offer({ state, pos }: CompletionContext, language: FilterLanguage): CompletionResult {
  return {
    ...language.complete(state.doc.toString(), pos),
    update: (_current, _from, _to, context) => offer(context, language),
  }
}

/** Takes the chosen entry of the list, or the first one. */
const completeFirst: Command = (view) =>
  completionStatus(view.state) === 'active' &&
  (acceptCompletion(view) || (moveCompletionSelection(true)(view) && acceptCompletion(view)))

function paint(pieces: readonly Piece[]) {
  return Decoration.set(
    pieces.flatMap(({ kind, text, at }) => MARKS.get(kind)?.range(at, at + text.length) ?? []),
  )
}

const COLORS: readonly [PieceKind, object][] = [
  ['name', { color: 'var(--accent)', fontWeight: 'var(--bold)' }],
  ['macro', { color: 'var(--copper)' }],
  ['number', { color: 'var(--copper)' }],
  ['text', { color: 'var(--ok)' }],
  ['comment', { color: 'var(--ink2)' }],
]
const MARKS = new Map(COLORS.map(([kind]) => [kind, Decoration.mark({ class: `f-${kind}` })]))

const filterTheme = EditorView.theme({
  ...Object.fromEntries(COLORS.map(([kind, style]) => [`.f-${kind}`, style])),
  '.cm-scroller': { lineHeight: '34px', scrollbarWidth: 'none' },
  '.cm-content': { padding: '0' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--ink2)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '19rem', fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '16px',
    alignItems: 'center',
    justifyContent: 'space-between',
    minHeight: '28px',
    padding: '0 12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--wash-accent)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { fontFamily: 'var(--sans)', fontStyle: 'normal', color: 'var(--ink2)' },
})
