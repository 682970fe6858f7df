import { expect, test } from 'bun:test'
import { checkComments } from '../../../../scripts/source-checks/code/comments.ts'
import { scanSource } from '../../../../scripts/source-text.ts'

const found = (...lines: string[]) => {
  const source = lines.join('\n')
  return checkComments({ file: 'src/a.ts', source, ...scanSource(source) }).map(
    ({ line, rule }) => `${line} ${rule}`,
  )
}
const WORDS = 'word '.repeat(40)
const width = (start: string, columns: number) => `${start}${WORDS}`.slice(0, columns)

test('checkComments() reports comments that end after column 110', () => {
  expect(found(width('// ', 109), width('const a = 1 // ', 109))).toEqual([])
  expect(found(width('// ', 112))).toEqual(['1 comment width'])
  expect(found('/**', width(' * ', 112), ' */')).toEqual(['2 comment width'])
  expect(found(width('const value = 1 // ', 112))).toEqual(['1 comment width'])
  expect(found(`const text = '${WORDS}'`)).toEqual([])
  expect(found('/**', width(' * | ', 112), ' */')).toEqual([])
  expect(found(`// https://example.org/${'a'.repeat(120)}`)).toEqual([])
})

test('checkComments() reports citations of decisions by number', () => {
  expect(found('// Refused at once (decision 15).')).toEqual(['1 decision number'])
  expect(found('/**', ' * See Decisions', ' * 15 and 16.', ' */')).toEqual(['2 decision number'])
  expect(found('// See docs/decisions/0005-large-values.md.', 'const decision = 15')).toEqual([])
})
