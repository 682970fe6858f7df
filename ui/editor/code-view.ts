import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { qasm } from './qasm-mode.ts'

/** A program in a shadow root, to read. */
export interface CodeView {
  /** Highlights a line; undefined for none. */
  highlight(line: number | undefined): void
  destroy(): void
}

/** What is shown, and where. */
export interface CodeViewOptions {
  root: ShadowRoot
  text: string
  label: string
  /** Called with the line of the caret. */
  moved?: (line: number) => void
}

/** Opens a program to read; the code for editing is not loaded. */
export function openCodeView(options: CodeViewOptions): CodeView {
  const view = createView(options, EditorState.readOnly.of(true))
  return { highlight: (line) => highlightLine(view, line), destroy: () => view.destroy() }
}

/**
 * A view with numbered lines and colors. Its style sheets are adopted by the root, because the policy of the
 * page refuses others.
 */
export function createView({ root, text, label, moved }: CodeViewOptions, more: Extension): EditorView {
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        bracketMatching(),
        qasm,
        syntaxHighlighting(colors),
        theme,
        foundLine,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'none' }),
        EditorView.updateListener.of((update) => {
          if (update.selectionSet || update.docChanged) {
            moved?.(update.state.doc.lineAt(update.state.selection.main.head).number)
          }
        }),
        more,
      ],
    }),
  })
}

/** Highlights a line of a view; undefined for none. */
export function highlightLine(view: EditorView, line: number | undefined): void {
  view.dispatch({ effects: setFoundLine.of(line) })
}

const setFoundLine = StateEffect.define<number | undefined>()
const foundMark = Decoration.line({ class: 'cm-found' })

/** The line whose gate is pointed at in the diagram. */
const foundLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, state }) {
    let next = marks.map(changes)
    for (const effect of effects) {
      if (!effect.is(setFoundLine)) continue
      const isLine = effect.value !== undefined && effect.value <= state.doc.lines
      next = isLine
        ? Decoration.set(foundMark.range(state.doc.line(effect.value ?? 1).from))
        : Decoration.none
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '650' },
  { tag: tags.typeName, color: 'var(--run)', fontWeight: '550' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.atom], color: 'var(--copper)' },
  { tag: tags.comment, color: 'var(--ink2)', fontStyle: 'italic' },
])

/** Uses the tokens of the page, which shadow roots inherit; both themes follow from them. */
export const theme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--text-s)', maxHeight: 'var(--editor-height, 60vh)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)', minHeight: 'var(--editor-min, 0)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink2)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 12px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)' },
  '.cm-found': { backgroundColor: 'var(--wash-accent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--wash-accent)',
    outline: '1px solid var(--edge)',
  },
  '.cm-selectionMatch, ::selection': { backgroundColor: 'var(--wash-accent)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: 'none' },
  '.cm-lint-marker-error::before': { content: '"✕"', color: 'var(--bad)', fontWeight: '650' },
  '.cm-tooltip': {
    border: '1px solid var(--edge)',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontFamily: 'var(--sans)',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
})

/**
 * Replaces a selection by what is typed. The browser would style the new text inline, as the old one looked,
 * which the policy of the page refuses.
 */
export const typingOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    if (inputType !== 'insertText' || data === null || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})
