import type { Diagnostics } from '../problems.ts'

/** A thread that checks programs, one after the other. */
export interface CheckThread {
  check(text: string): void
  end(): void
}

type Found = (diagnostics: Diagnostics) => void

/** Checks long programs in a thread of their own, one at a time. */
export interface BackgroundCheck {
  /** Checks a text; of those that arrive during a check, only the newest is checked. */
  check(text: string, found: Found): void
  close(): void
}

/** `open` starts the thread, with the first text; one that fails is replaced for the next text. */
export function createBackgroundCheck(
  open: (found: Found, failed: () => void) => CheckThread,
): BackgroundCheck {
  let thread: CheckThread | undefined
  let running: Found | undefined
  let next: { text: string; found: Found } | undefined
  const close = () => {
    thread?.end()
    thread = undefined
    running = undefined
    next = undefined
  }
  const finish = (diagnostics: Diagnostics) => {
    const done = running
    const waiting = next
    running = undefined
    next = undefined
    done?.(diagnostics)
    if (waiting) start(waiting.text, waiting.found)
  }
  const start = (text: string, found: Found) => {
    running = found
    // Without a thread, the server still checks the program.
    thread ??= open(finish, close)
    thread.check(text)
  }
  return {
    check(text, found) {
      if (running) next = { text, found }
      else start(text, found)
    },
    close,
  }
}
