import { type Signal, signal } from '@preact/signals'

/** Announcements for screen readers, at most one per `spacingMs`; of several, the newest is kept. */
export interface Announcer {
  text: Signal<string>
  say(sentence: string): void
}

/** Creates an announcer. */
export function createAnnouncer(spacingMs = 5_000): Announcer {
  const text = signal('')
  let next: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const speak = () => {
    timer = undefined
    if (next === undefined) return
    text.value = next
    next = undefined
    timer = setTimeout(speak, spacingMs)
  }
  return {
    text,
    say(sentence) {
      next = sentence
      if (timer === undefined) speak()
    },
  }
}
