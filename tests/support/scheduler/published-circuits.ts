import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'

const FOLDER = join(import.meta.dir, '../../circuits')
const QUBITS = 5

interface PublishedCircuit {
  name: string
  text: string
  /** Whether gates depend on outcomes, which no sequencer program does. */
  hasFeedback: boolean
}

/** The circuits of `tests/circuits` that fit five qubits. */
export function publishedCircuits(): PublishedCircuit[] {
  return readdirSync(FOLDER)
    .sort()
    .filter((name) => name.endsWith('.qasm'))
    .flatMap((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8')
      const { qubits, ops } = lowerProgram(parseProgram(text), [])
      return qubits <= QUBITS ? [{ name, text, hasFeedback: ops === undefined }] : []
    })
}
