import { AppError } from '../../base/index.ts'

/** The requested part of a list. */
export interface Paging {
  /** From 1. */
  readonly page: number
  /** 1 to 1000. */
  readonly perPage: number
  /** Skips counting; the totals are -1. */
  readonly skipTotal: boolean
  /** Id of a record: the page has the records that follow it. No total is counted then. */
  readonly after?: string | undefined
}

const DEFAULT_PER_PAGE = 30
const MAX_PER_PAGE = 1_000
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_PER_PAGE)
const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False']

/**
 * Reads `page`, `perPage`, `skipTotal` and `after` of a list request.
 * @throws AppError `invalid` for a value that is not a whole number or boolean, and for `page` with `after`.
 */
export function readPaging(query: Readonly<Record<string, string>>): Paging {
  const page = wholeNumber('page', query['page'] ?? '') ?? 1
  const perPage = wholeNumber('perPage', query['perPage'] ?? '') ?? 0
  const skip = query['skipTotal'] ?? ''
  if (skip !== '' && !TRUE.includes(skip) && !FALSE.includes(skip)) {
    throw badParameter('skipTotal', skip, 'true or false')
  }
  const after = query['after'] || undefined
  if (after !== undefined && (query['page'] ?? '') !== '') {
    throw new AppError(
      'invalid',
      'Page and after cannot be combined: give the number of a page or the record that it follows',
      { reason: 'bad_parameter' },
    )
  }
  return {
    page: Math.min(Math.max(page, 1), MAX_PAGE),
    perPage: perPage <= 0 ? DEFAULT_PER_PAGE : Math.min(perPage, MAX_PER_PAGE),
    skipTotal: TRUE.includes(skip) || after !== undefined,
    after,
  }
}

function wholeNumber(name: string, text: string): number | undefined {
  if (text === '') return undefined
  if (!/^[-+]?[0-9]+$/.test(text)) throw badParameter(name, text, 'a whole number')
  return Number(text)
}

function badParameter(name: string, text: string, expected: string): AppError {
  return new AppError('invalid', `${name} is "${text.slice(0, 40)}"; it must be ${expected}`, {
    reason: 'bad_parameter',
  })
}
