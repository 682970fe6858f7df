import { useEffect, useRef } from 'preact/hooks'
import { isPrinting } from '../lib/print.ts'
import { PlainSource, type SourceProps } from './PlainSource.tsx'
import { useLazyEditor } from './use-lazy-editor.ts'

/** A program to read: plain text until the code that highlights it has loaded. */
export function Source({ text, label, line, moved }: SourceProps) {
  const newest = useRef(moved)
  newest.current = moved
  const { host, editor: view } = useLazyEditor(async () => {
    const { openCodeView } = await import('./code-view.ts')
    return (root) => openCodeView({ root, text, label, moved: (at) => newest.current?.(at) })
  }, [text])
  useEffect(() => view?.highlight(line), [view, line])
  // The view renders the lines around the screen only.
  const isPlain = !view || isPrinting.value
  return (
    <div class="code-editor">
      <div ref={host} hidden={isPlain && view !== undefined} />
      {isPlain && <PlainSource text={text} label={label} />}
    </div>
  )
}
