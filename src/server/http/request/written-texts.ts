import { AppError, type FieldError, textProblem } from '../../../base/index.ts'

/** Names of values that may have several lines. */
const WITH_LINES = /(^|_)(reason|description|text|error)$/
/** Whatever a password is made of, its hash is stored. */
const PASSWORD = /password/i

/** What is wrong with the text of a value of this name; undefined if nothing. */
export function writtenTextError(name: string, text: string): FieldError | undefined {
  const message = PASSWORD.test(name) ? undefined : textProblem(text, { hasLines: WITH_LINES.test(name) })
  return message === undefined ? undefined : { code: 'validation_invalid_format', message }
}

/**
 * Checks the texts of a body, whose entries are named by their key.
 * @throws AppError `invalid` that names the first bad text by its dotted path.
 */
export function assertWrittenTexts(body: unknown): void {
  visit(body, [])
}

function visit(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string') {
    const name = path.findLast((each) => !/^\d+$/.test(each)) ?? ''
    const error = writtenTextError(name, value)
    if (error) throw new AppError('invalid', 'Invalid request body', { fields: { [path.join('.')]: error } })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) visit(each, [...path, key])
  }
}

/**
 * Checks the parts of an address: no stored text has the character NUL, and PostgreSQL takes none.
 * @throws AppError `invalid`.
 */
export function assertNoNul(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!value.includes('\0')) continue
    const message = 'Must not contain the character NUL (U+0000); remove it.'
    throw new AppError('invalid', 'Invalid address', {
      fields: { [name]: { code: 'validation_invalid_format', message } },
    })
  }
}
