import type { ApiError } from '../api/api.ts'
import { formatNumberOf } from '../lib/format.ts'

/** Something wrong with a job being written, at the control it belongs to. Lines and columns count from 1. */
export interface Problem {
  field: 'program' | 'parameters' | 'shots' | 'qpu'
  text: string
  line?: number
  column?: number
}

/** What a look at a program found out. */
export interface Diagnostics {
  /** The text that was looked at: while a person types, it lags behind. */
  text: string
  /** Names of its parameters in the order in which values are given. */
  inputs: readonly string[]
  problems: readonly Problem[]
}

/** The problems that hold for a text that was changed since: those whose line is as it was. */
export function remainingProblems(diagnostics: Diagnostics, text: string): readonly Problem[] {
  if (diagnostics.text === text) return diagnostics.problems
  const [before, after] = [diagnostics.text.split('\n'), text.split('\n')]
  return diagnostics.problems.filter(({ line = 1 }) => before[line - 1] === after[line - 1])
}

/** The refused fields of a submission as problems of the form; empty when the refusal names no field of it. */
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
 * Numbers typed with commas or spaces between them, one for each input of the program in order; a sentence
 * about what is wrong with them otherwise.
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

/** The offset in `text` of a line and column, both from 1; the nearest place there is when they lie outside. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((total, one) => total + one.length + 1, 0)
  const within = Math.min(column - 1, lines[line - 1]?.length ?? 0)
  return Math.min(before + within, text.length)
}
