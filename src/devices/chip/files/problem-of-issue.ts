import type * as v from 'valibot'
import type { FileProblem } from './yaml-text.ts'

/** What the validation library calls the kinds of values, in plain words. */
const PLAIN: Readonly<Record<string, string>> = {
  Object: 'names with values',
  Array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

/**
 * The problem that an issue of a schema describes, in plain words: the message that the schema states, or one
 * made of what was expected.
 */
export function problemOfIssue(issue: v.BaseIssue<unknown>): FileProblem {
  const { path = [], input } = issue
  const expectation = expectationOf(issue)
  const isMissing = input === undefined
  const message = isMissing
    ? ['missing', ...(expectation === '' ? [] : [expectation])].join('; ')
    : `${expectation || 'not a valid value'}, got ${shown(input)}`
  return { path: path.map(({ key }) => key as string | number), message }
}

/** What was expected; empty where only the absence of a key is known. */
function expectationOf({ message, kind, expected, received }: v.BaseIssue<unknown>): string {
  const isOwn = !message.startsWith('Invalid ')
  if (isOwn) return message
  if (received === 'undefined' && expected?.startsWith('"')) return ''
  const plain = expected === null ? undefined : PLAIN[expected]
  if (plain !== undefined) return `expected ${plain}`
  // Alternatives and limits, such as ("a" | "b") and >=0, read well enough.
  return expected === null || kind === 'transformation' ? '' : `expected ${expected.replaceAll(/[()]/g, '')}`
}

/** A value as errors quote it, at most 58 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
