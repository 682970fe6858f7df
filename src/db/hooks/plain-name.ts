import { badField } from '../../base/index.ts'

/** Marks that change the direction of the text after them. */
export const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

// Control characters, line and paragraph separators, private and unpaired ones; what is invisible or changes
// the direction of the text. Joiners within words of some scripts are allowed.
const UNSEEN =
  /[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/u
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Refuses a new or changed name that other programs may not take for text: a formula, markup, or characters
 * that nobody sees. A stored name stays.
 * @throws AppError `invalid` with `fields`.
 */
export function refuseOddName(field: string, name: string, before = ''): void {
  if (name === before) return
  const problem = FORMULA.test(name)
    ? 'Must not begin with =, +, - or @, which begin a formula.'
    : /[<>]/.test(name)
      ? 'Must not contain < or >.'
      : UNSEEN.test(name)
        ? 'Must not contain control characters, or characters that are invisible or change the direction of text.'
        : undefined
  if (problem === undefined) return
  throw badField('The name is not plain text', field, problem)
}
