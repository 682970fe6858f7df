import type { RefObject } from 'preact'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'preact/hooks'
import { offsetOf, type Problem } from '../jobs/problems.ts'
import { useLazyEditor } from './use-lazy-editor.ts'

/** What a page can ask of an editor. */
export interface EditorHandle {
  goTo(line: number, column: number): void
  change(change: { from: number; to: number; insert: string }): void
  focus(): void
}

interface EditorProps {
  text: string
  label: string
  problems: readonly Problem[]
  /** The line to highlight, for a gate pointed at in the diagram. */
  line?: number | undefined
  handle: RefObject<EditorHandle | null>
  changed: (text: string) => void
  moved?: (line: number) => void
}

/** A program editor: a plain text field until the code of the highlighting one has loaded. */
export function Editor(props: EditorProps) {
  const { text, label, problems, line, handle } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const newest = useRef(props)
  newest.current = props

  const { host, editor } = useLazyEditor(async () => {
    const { openCodeEditor } = await import('./code-editor.ts')
    return (root) => {
      const hadFocus = document.activeElement === area.current
      const opened = openCodeEditor({
        root,
        text: newest.current.text,
        label,
        changed: (next) => newest.current.changed(next),
        moved: (at) => newest.current.moved?.(at),
      })
      if (hadFocus) opened.focus()
      return opened
    }
  }, [])
  // Before the next key: later, an old text would replace what was typed meanwhile.
  useLayoutEffect(() => editor?.setText(text), [editor, text])
  useEffect(() => editor?.show(problems), [editor, problems])
  useEffect(() => editor?.highlight(line), [editor, line])
  useImperativeHandle(handle, () => editor ?? plainHandle(area, newest), [editor])

  return (
    <div class={problems.length > 0 ? 'code-editor invalid' : 'code-editor'}>
      <div ref={host} />
      {!editor && (
        <textarea
          ref={area}
          aria-label={label}
          value={text}
          rows={Math.max(text.split('\n').length, 10)}
          wrap="off"
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          onInput={({ currentTarget }) => props.changed(currentTarget.value)}
          {...(problems.length > 0 ? { 'aria-invalid': true } : {})}
        />
      )}
    </div>
  )
}

type Area = RefObject<HTMLTextAreaElement | null>

function plainHandle(area: Area, newest: { current: EditorProps }): EditorHandle {
  return {
    goTo(line, column) {
      const at = offsetOf(newest.current.text, line, column)
      area.current?.focus()
      area.current?.setSelectionRange(at, at)
    },
    change({ from, to, insert }) {
      const { text, changed } = newest.current
      changed(text.slice(0, from) + insert + text.slice(to))
    },
    focus: () => area.current?.focus(),
  }
}
