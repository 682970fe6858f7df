import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Diagnostics } from '../problems.ts'
import { type BackgroundCheck, type CheckThread, createBackgroundCheck } from './background-check.ts'

/** URL path of the script of the thread; `scripts/build-ui.ts` puts it in. */
declare const CHECK_WORKER: string

const NO_DIAGNOSTICS: Diagnostics = { text: '', inputs: [], qubits: 0, problems: [] }
/** The check waits for a pause in typing. */
const TYPING_PAUSE_MS = 150
/** Longer programs are checked in a thread of their own, because a check would delay typing. */
const MAX_LENGTH = 100_000
const MAX_LINES = 2_000

/** Checks a program after each pause in typing. Returns no problems until the parser has loaded. */
export function useDiagnostics(text: string): Signal<Diagnostics> {
  const diagnostics = useSignal(NO_DIAGNOSTICS)
  const background = useRef<BackgroundCheck>(undefined)
  useEffect(() => () => background.current?.close(), [])
  useEffect(() => {
    if (text.trim() === '') {
      diagnostics.value = NO_DIAGNOSTICS
      return undefined
    }
    let isCurrent = true
    const found = (next: Diagnostics) => {
      if (isCurrent) diagnostics.value = next
    }
    const check = async () => {
      if (isLong(text)) {
        background.current ??= createBackgroundCheck(openThread)
        background.current.check(text, found)
        return
      }
      const { findProblems } = await import('./check-program.ts')
      if (isCurrent) found(findProblems(text))
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

function openThread(found: (diagnostics: Diagnostics) => void, failed: () => void): CheckThread {
  const worker = new Worker(CHECK_WORKER, { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Diagnostics>) => found(data)
  worker.onerror = failed
  return { check: (text) => worker.postMessage(text), end: () => worker.terminate() }
}

/** Whether checking a program would delay typing. */
function isLong(text: string): boolean {
  if (text.length > MAX_LENGTH) return true
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && lines <= MAX_LINES; at = text.indexOf('\n', at + 1))
    lines += 1
  return lines > MAX_LINES
}
