import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Finding } from './problems.ts'

const NOTHING: Finding = { text: '', inputs: [], problems: [] }
/** Typing is not disturbed: the check waits for a pause. */
const PAUSE_MS = 150
/** Longer programs are left to the server, since a check of them could be felt while typing. */
const MOST_LENGTH = 100_000

/** Checks a program after each pause in typing. Finds nothing until the parser has been loaded. */
export function useFinding(text: string): Signal<Finding> {
  const finding = useSignal(NOTHING)
  useEffect(() => {
    if (text.length > MOST_LENGTH || text.trim() === '') {
      finding.value = NOTHING
      return undefined
    }
    let wanted = true
    const look = async () => {
      const { findProblems } = await import('./check-program.ts')
      if (wanted) finding.value = findProblems(text)
    }
    // Without the parser the server still checks everything.
    const timer = setTimeout(() => void look().catch(() => undefined), PAUSE_MS)
    return () => {
      wanted = false
      clearTimeout(timer)
    }
  }, [text])
  return finding
}
