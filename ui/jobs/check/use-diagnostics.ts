import type { Signal } from '@preact/signals'
import type { Diagnostics } from '../problems.ts'
import { useParsed } from './use-parsed.ts'

const NO_DIAGNOSTICS: Diagnostics = { text: '', inputs: [], qubits: 0, problems: [] }

/** Checks a program after each pause in typing. Returns no problems until the parser has loaded. */
export function useDiagnostics(text: string): Signal<Diagnostics> {
  const isEmpty = text.trim() === ''
  return useParsed(isEmpty ? undefined : { task: 'problems', inputs: [text] }, NO_DIAGNOSTICS, [text])
}
