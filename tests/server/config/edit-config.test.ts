import { expect, test } from 'bun:test'
import { editConfig } from '../../../src/server/config/edit-config.ts'

test.each([
  ['', 'eventRateLimit', '100', 'eventRateLimit: 100\n'],
  ['# none yet\n', 'logLevel', 'warn', '# none yet\n\nlogLevel: warn\n'],
  ['a: 1 # first\n\n# second\nb: 2\n', 'b', '3', 'a: 1 # first\n\n# second\nb: 3\n'],
  ['a: 1 # first\nb: 2\n', 'b', null, 'a: 1 # first\n'],
  ['{"a": "x"}\n', 'b', '5:10', '{ "a": "x", "b": "5:10" }\n'],
])('editConfig() of %j: %s becomes %p', (text, name, value, edited) => {
  expect(editConfig(text, name, value)).toBe(edited)
})
