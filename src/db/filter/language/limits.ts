import { AppError } from '../../../base/index.ts'

/** Characters of a filter or a rule. */
export const MAX_FILTER_CHARACTERS = 3_500
/** Comparisons of a filter or a rule. */
export const MAX_COMPARISONS = 200
/** Brackets within brackets: deeper ones would exhaust SQLite's own parser. */
export const MAX_BRACKETS = 32
/** Functions within functions. */
export const MAX_FUNCTION_DEPTH = 3
/** Relations that one path may follow. */
export const MAX_HOPS = 6
/** Joins of one condition; SQLite takes 64 tables. */
export const MAX_JOINS = 60
/** Keys of a sort, and characters of each. */
export const MAX_SORT_KEYS = 8
export const MAX_SORT_KEY_CHARACTERS = 255
/** Arguments of a function. */
export const MAX_ARGUMENTS = 10

/** The error of a filter, sort or rule that cannot be understood; `problem` is a sentence with its remedy. */
export function badFilter(problem: string): AppError {
  return new AppError('invalid', problem, { reason: 'bad_filter' })
}

/** Text from a caller as an error message shows it: at most 60 characters. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
