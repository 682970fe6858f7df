import * as v from 'valibot'
import { nearest } from './nearest.ts'

/** What is wrong with a key that is none of `known`, and which was probably meant: at most 80 characters. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return `unknown key ${key.slice(0, 80)}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

type Message = string | ((issue: v.BaseIssue<unknown>) => string)

/** Message of a strict object with these keys. */
export function strictKeys(entries: object): Message {
  return (issue) =>
    isUnknownKey(issue) ? unknownKey(String(issue.input), Object.keys(entries)) : issue.message
}

/** Whether a strict object has found a key that it does not have; `input` is the key. */
export function isUnknownKey({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type.startsWith('strict_') && expected === 'never'
}

// The words of the library, "Expected never but received", say this to nobody.
v.setGlobalMessage(strictKeys({}))
