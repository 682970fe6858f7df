import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Diagnostics } from './problems.ts'

const NO_DIAGNOSTICS: Diagnostics = { text: '', inputs: [], problems: [] }
/** The check waits for a pause in typing. */
const TYPING_PAUSE_MS = 150
/** Longer programs are checked by the server only, because a check would delay typing. */
const MAX_CHECKED_LENGTH = 100_000

/** Checks a program after each pause in typing. Returns no problems until the parser has loaded. */
export function useDiagnostics(text: string): Signal<Diagnostics> {
  const diagnostics = useSignal(NO_DIAGNOSTICS)
  useEffect(() => {
    if (text.length > MAX_CHECKED_LENGTH || text.trim() === '') {
      diagnostics.value = NO_DIAGNOSTICS
      return undefined
    }
    let isCurrent = true
    const check = async () => {
      const { findProblems } = await import('./check-program.ts')
      if (isCurrent) diagnostics.value = findProblems(text)
    }
    // If the parser cannot be loaded, the server still checks the program.
    const timer = setTimeout(() => void check().catch(() => undefined), TYPING_PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  return diagnostics
}
