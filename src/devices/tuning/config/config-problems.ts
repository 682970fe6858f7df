import type * as v from 'valibot'
import { nearest } from '../../../base/index.ts'
import { shown } from '../../chip/files/problem-of-issue.ts'
import type { FileProblem } from '../../chip/files/yaml-text.ts'

/** What reading a file adds to. */
export interface ConfigRemarks {
  problems: FileProblem[]
  /** What is accepted but worth a line in the report. */
  notes: string[]
}

/** Begins the list of allowed keys in the message for an unknown one. */
export const ALLOWED = 'unknown key; allowed are '

/** The problems that a schema found below some keys, with the value or the key that was probably meant. */
export function problemsOf(
  issues: readonly v.BaseIssue<unknown>[],
  prefix: readonly string[],
): FileProblem[] {
  return issues.map(({ path: below = [], message, input }) => {
    const keys = below.map(({ key }) => key as string | number)
    const path = [...prefix, ...keys]
    if (!message.startsWith(ALLOWED)) return { path, message: `${message}, got ${shown(input)}` }
    const allowed = message.slice(ALLOWED.length).split(', ')
    return { path, message: `${message}${guessOf(String(keys.at(-1)), allowed)}` }
  })
}

/** `; did you mean q1?`, if something similar exists. */
export function guessOf(name: string, names: readonly string[]): string {
  const guess = nearest(name, names)
  return guess === undefined ? '' : `; did you mean ${guess}?`
}
