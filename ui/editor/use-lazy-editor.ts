import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface LazyEditor<E> {
  /** The element whose shadow root contains the editor. */
  host: RefObject<HTMLDivElement | null>
  /** Undefined until the code has loaded, and where it does not load: then a plain field remains. */
  editor: E | undefined
}

/**
 * Opens what `load` returns in a shadow root, and opens it again when one of `needs` changes. Without `load`
 * nothing opens yet.
 */
export function useLazyEditor<E extends { destroy(): void }>(
  load: (() => Promise<(root: ShadowRoot) => E>) | undefined,
  needs: readonly unknown[],
): LazyEditor<E> {
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<E>()
  useEffect(() => {
    let opened: E | undefined
    let isWanted = true
    const start = async () => {
      const open = await load?.()
      if (!open || !isWanted || !host.current) return
      opened = open(host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }))
      setEditor(opened)
    }
    start().catch(() => undefined)
    return () => {
      isWanted = false
      opened?.destroy()
      setEditor(undefined)
    }
  }, needs)
  return { host, editor }
}
