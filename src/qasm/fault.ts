import { type QasmCode, QasmError } from './error.ts'

/** A problem at a text offset; the public functions convert it to a `QasmError` with line and column. */
export class Fault extends Error {
  readonly code: QasmCode
  /** Offset into the program text, UTF-16 units. */
  readonly at: number

  constructor(code: QasmCode, at: number, message: string) {
    super(message)
    this.name = 'Fault'
    this.code = code
    this.at = at
  }
}

/** Line and column, both from 1, of an offset. */
export function positionOf(text: string, at: number): { line: number; column: number } {
  return positionFinder(text)(at)
}

/** As `positionOf`, for offsets in ascending order in one pass over the text. */
export function positionFinder(text: string): (at: number) => { line: number; column: number } {
  let line = 1
  let lineStart = 0
  return (at) => {
    for (;;) {
      const newline = text.indexOf('\n', lineStart)
      if (newline < 0 || newline >= at) return { line, column: at - lineStart + 1 }
      line++
      lineStart = newline + 1
    }
  }
}

/** The public form of a fault. */
export function toQasmError(fault: Fault, text: string): QasmError {
  const { line, column } = positionOf(text, fault.at)
  return new QasmError(fault.code, fault.message, line, column)
}

/** Runs `work` and converts a fault to a `QasmError` with a position in this text. */
export function positioned<T>(text: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Fault ? toQasmError(error, text) : error
  }
}
