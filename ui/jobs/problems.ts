import type { ApiError } from '../api/api.ts'
import { formatNumberOf } from '../lib/format.ts'

/** A problem of the job form at the field it belongs to. Lines and columns start at 1. */
export interface Problem {
  field: 'program' | 'parameters' | 'shots' | 'qpu'
  text: string
  line?: number
  column?: number
}

/** Result of checking a program. */
export interface Diagnostics {
  /** The checked text, which lags behind during typing. */
  text: string
  /** Names of the program's inputs in the order of `parameter_values`. */
  inputs: readonly string[]
  problems: readonly Problem[]
}

/** The problems that still apply to an edited text: those whose line is unchanged. */
export function remainingProblems(diagnostics: Diagnostics, text: string): readonly Problem[] {
  if (diagnostics.text === text) return diagnostics.problems
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
    return [{ field, text: message, ...(line ? { line } : {}), ...(column ? { column } : {}) }]
  })
}

function fieldOf(path: string): Problem['field'] | undefined {
  if (path === 'shots' || /^circuits\W+\d+\W+shots$/.test(path)) return 'shots'
  if (path === 'qpu_target') return 'qpu'
  if (path.includes('parameter_values')) return 'parameters'
  return path.startsWith('circuit') ? 'program' : undefined
}

/**
 * Parses numbers separated by commas or spaces, one for each input of the program in order; returns an error
 * message if they do not match.
 */
export function readParameters(text: string, inputs: readonly string[]): number[] | string {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  const odd = parts.find((part) => !Number.isFinite(Number(part)))
  if (odd !== undefined) return `${odd} is not a number`
  if (parts.length === inputs.length) return parts.map(Number)
  return `Give ${formatNumberOf(inputs.length, 'value')}: ${inputs.join(', ')}. ${parts.length === 1 ? 'There is one' : `There are ${parts.length || 'none'}`}`
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
