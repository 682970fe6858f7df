import { join } from 'node:path'
import { type PythonProcess, startPython } from '../support/python/python-process.ts'

/** A running `aer.py`, which executes requests with Qiskit Aer. */
export type Aer = PythonProcess

/** Starts it with the interpreter of `openPython`. */
export function startAer(interpreter: string): Aer {
  return startPython(interpreter, join(import.meta.dir, 'aer.py'))
}
