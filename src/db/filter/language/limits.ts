import { AppError } from '../../../base/index.ts'

/** Maximum length of a filter or a rule, in characters. */
export const MAX_FILTER_CHARACTERS = 3_500
/** Maximum number of comparisons in a filter or a rule. */
export const MAX_COMPARISONS = 200
/** Maximum length of the text right of `~`, in characters. */
export const MAX_PATTERN_CHARACTERS = 250
/** Maximum number of wildcards in such a text: each may start a search of the rest of the value. */
export const MAX_WILDCARDS = 8
/** Maximum length of all such texts of a filter together, each counted as at least 16 characters. */
export const MAX_PATTERNS_CHARACTERS = 1_000
export const MIN_PATTERN_CHARACTERS = 16
/** Maximum number of times that a filter reads a program, result or report: each time may take 32 MiB. */
export const MAX_LARGE_READS = 8
/** Maximum nesting of brackets; deeper nesting would exhaust SQLite's own parser. */
export const MAX_BRACKETS = 32
/** Maximum nesting of functions. */
export const MAX_FUNCTION_DEPTH = 3
/** Maximum number of relations in one path. */
export const MAX_HOPS = 6
/** Maximum number of joins in one condition; SQLite allows 64 tables. */
export const MAX_JOINS = 60
/** Maximum number of keys in a sort, and of characters in each. */
export const MAX_SORT_KEYS = 8
export const MAX_SORT_KEY_CHARACTERS = 255
/** Maximum number of arguments of a function. */
export const MAX_ARGUMENTS = 10

/** The error of an invalid filter, sort or rule; `problem` is a sentence that states a remedy. */
export function badFilter(problem: string): AppError {
  return new AppError('invalid', problem, { reason: 'bad_filter' })
}

/** Text of a caller, shortened to 60 characters for an error message. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
