import { useEffect, useRef, useState } from 'preact/hooks'
import { isPrinting } from '../lib/print.ts'
import { ScrollRegion } from '../plots/ScrollRegion.tsx'
import type { CodeView } from './code-view.ts'

interface SourceProps {
  text: string
  label: string
  /** The line to highlight. */
  line?: number | undefined
  /** Called with the line of the caret. */
  moved?: (line: number) => void
}

/** A program to read: plain text until the code that highlights it has loaded. */
export function Source({ text, label, line, moved }: SourceProps) {
  const host = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<CodeView>()
  const newest = useRef(moved)
  newest.current = moved
  useEffect(() => {
    let opened: CodeView | undefined
    let isWanted = true
    const open = async () => {
      const { openCodeView } = await import('./code-view.ts')
      if (!isWanted || !host.current) return
      const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
      opened = openCodeView({ root, text, label, moved: (at) => newest.current?.(at) })
      setView(opened)
    }
    // Without that code, the plain text remains.
    open().catch(() => undefined)
    return () => {
      isWanted = false
      opened?.destroy()
      setView(undefined)
    }
  }, [text])
  useEffect(() => view?.highlight(line), [view, line])
  // The view renders the lines around the screen only.
  const isPlain = !view || isPrinting.value
  return (
    <div class="code-editor">
      <div ref={host} hidden={isPlain && view !== undefined} />
      {isPlain && (
        <ScrollRegion class="source" label={label}>
          <pre>{text}</pre>
        </ScrollRegion>
      )}
    </div>
  )
}
