import type { ApiError } from '../api/api.ts'

/** A problem of the job form at the field it belongs to. Lines and columns start at 1. */
export interface Problem {
  field: 'program' | 'parameters' | 'shots' | 'qpu' | 'level' | 'maxSeconds' | 'require' | 'name' | 'tags'
  text: string
  /** Index of the program that it concerns; the first when absent. */
  program?: number
  line?: number
  column?: number
}

/** Result of checking a program. */
export interface Diagnostics {
  /** The checked text, which lags behind during typing. */
  text: string
  /** Names of the program's inputs in the order of `parameter_values`. */
  inputs: readonly string[]
  /** Number of qubits that it declares. */
  qubits: number
  problems: readonly Problem[]
}

/** The problems that still apply to an edited text: those whose line is unchanged. */
export function remainingProblems(diagnostics: Diagnostics, text: string): readonly Problem[] {
  if (diagnostics.text === text || diagnostics.problems.length === 0) return diagnostics.problems
  const [before, after] = [diagnostics.text.split('\n'), text.split('\n')]
  return diagnostics.problems.filter(({ line = 1 }) => before[line - 1] === after[line - 1])
}

/**
 * Converts the field errors of a refused submission to problems of the form; empty if none concerns a field.
 */
export function problemsOf(error: ApiError): Problem[] {
  return Object.entries(error.fields).flatMap(([path, { message, params }]) => {
    const field = fieldOf(path)
    if (!field) return []
    const line = positive(params?.['line'])
    const column = positive(params?.['column'])
    const program = Number(/^circuits\W+(\d+)/.exec(path)?.[1] ?? 0)
    return [
      {
        field,
        text: message,
        ...(program > 0 && { program }),
        ...(line && { line }),
        ...(column && { column }),
      },
    ]
  })
}

function fieldOf(path: string): Problem['field'] | undefined {
  if (path === 'shots' || /^circuits\W+\d+\W+shots$/.test(path)) return 'shots'
  if (path === 'qpu_target') return 'qpu'
  if (path === 'meas_level') return 'level'
  if (path === 'max_seconds') return 'maxSeconds'
  if (path.startsWith('require')) return 'require'
  if (path === 'name' || path === 'tags') return path
  if (path.startsWith('tags')) return 'tags'
  if (path.includes('parameter_values')) return 'parameters'
  return path.startsWith('circuit') ? 'program' : undefined
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 1 ? value : undefined
}

/** The offset in `text` of a line and column, both from 1; clamped to the text. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((total, one) => total + one.length + 1, 0)
  const within = Math.min(column - 1, lines[line - 1]?.length ?? 0)
  return Math.min(before + within, text.length)
}
