/** A keyboard shortcut. */
export interface Shortcut {
  /** Keys in the order in which they are pressed. */
  keys: readonly string[]
  does: string
  run: () => void
}

const OFF_KEY = 'svc.keys'
/** Maximum delay between the two keys of a sequence. */
const PAIR_MS = 1_200

/** Whether single-key shortcuts are enabled; users of speech input switch them off. */
export function keysEnabled(): boolean {
  try {
    return localStorage.getItem(OFF_KEY) !== 'off'
  } catch {
    return true
  }
}

/** Stores whether single keys act. */
export function enableKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(OFF_KEY)
    else localStorage.setItem(OFF_KEY, 'off')
  } catch {
    // Without storage the choice cannot be kept.
  }
}

/** Handles shortcuts outside fields and dialogs. Returns a function that removes the listener. */
export function listenForKeys(shortcuts: readonly Shortcut[]): () => void {
  let first: { key: string; at: number } | undefined
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (!keysEnabled() || isBusy(event)) return
    const pair = first && event.timeStamp - first.at < PAIR_MS ? [first.key, event.key] : [event.key]
    const found =
      shortcuts.find(({ keys }) => keys.join() === pair.join()) ??
      shortcuts.find(({ keys }) => keys.join() === event.key)
    first = found ? undefined : { key: event.key, at: event.timeStamp }
    if (!found) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

/** Whether the key belongs to a field or a dialog. The target of an event in a shadow root is its host. */
function isBusy(event: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]')) return true
  const [target] = event.composedPath()
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}
