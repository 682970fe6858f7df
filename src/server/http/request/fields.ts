import * as v from 'valibot'
import { isId, textProblem } from '../../../base/index.ts'

/** Name of a QPU or driver. */
export const equipmentName = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'Expected letters, digits, _ and -, at most 100'),
)

/** E-mail address, in lower case. */
export const emailAddress = v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email(), v.maxLength(255))

/** Id of a record. */
export const recordId = v.pipe(v.string(), v.check(isId, 'Expected 15 characters of 0-9 and a-z'))

/** Checks a text of one line that a person writes, where a route parses its body itself. */
export const writtenText = v.rawCheck<string>(({ dataset, addIssue }) => {
  const message = dataset.typed ? textProblem(dataset.value) : undefined
  if (message !== undefined) addIssue({ message: message.replace(/\.$/, '') })
})
