import { join } from 'node:path'
import { type PythonProcess, startPython } from '../support/python/python-process.ts'

/** A running Qiskit Aer that answers the questions of `aer.py`. */
export type Aer = PythonProcess

/** Starts it under the interpreter of `openPython`. */
export function startAer(interpreter: string): Aer {
  return startPython(interpreter, join(import.meta.dir, 'aer.py'))
}
