import { AppError } from '../error.ts'

/**
 * Why a text is not a value of an option or setting. The message is for users. It never repeats the text,
 * unless `namesText` is set: then it stands alone, otherwise the report of the error shows the text before
 * the message.
 */
export class ValueError extends AppError {
  readonly namesText: boolean

  constructor(message: string, { namesText = true }: { namesText?: boolean } = {}) {
    super('invalid', message)
    this.name = 'ValueError'
    this.namesText = namesText
  }
}

/** The error of a text that is not `what`, such as `a whole number from 1 to 9`. */
export function expected(what: string): ValueError {
  return new ValueError(`expected ${what}`, { namesText: false })
}
