import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { codeOf, importsOf } from '../../scripts/source-text.ts'

describe('codeOf()', () => {
  test.each([
    ['line comment', 'a // b\nc', 'a     \nc'],
    ['block comment', 'a /* b\n ` */ c', 'a     \n      c'],
    ['strings', `f('it\\'s', "//")`, 'f(\'     \', "  ")'],
    ['template with code', 'x = `a $<b(`c`)} d` + e', 'x = `  $<b(` `)}  ` + e'],
    ['braces inside a placeholder', 'x = `a$<{ b: 1 }.b}c`; d', 'x = ` $<{ b: 1 }.b} `; d'],
    ['escaped placeholder', 'x = `a\\$<b}`; c', 'x = `      `; c'],
    ['regular expression', 'x = /[/"]\'/.test(y)', 'x = /     /.test(y)'],
    ['regular expression after return', 'return /`/', 'return / /'],
    ['division', 'a = b / c / "d"', 'a = b / c / " "'],
    ['division after a call', 'f(a) / g["/"]', 'f(a) / g[" "]'],
    ['first line of a script', '#!/usr/bin/bun `\na', '                \na'],
    ['unfinished string', "a 'b\nc", "a ' \nc"],
    ['unfinished comment', 'a /* b', 'a     '],
  ])('blanks %s', (_, source, expected) => {
    // `$<` stands for the opening of a placeholder, which the linter takes for a slip in a plain string.
    expect(codeOf(source.replaceAll('$<', '${'))).toBe(expected.replaceAll('$<', '${'))
  })

  test('keeps every position, whatever the text', () => {
    const pieces = ['`', '${', '}', '{', "'", '"', '/', '*', '\\', '\n', ' ', 'a', '=', '(', '#!']
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (source) => {
        const code = codeOf(source)
        expect(code.length).toBe(source.length)
        for (let at = 0; at < source.length; at++) {
          if (code[at] !== source[at]) expect(code[at]).toBe(' ')
          if (source[at] === '\n') expect(code[at]).toBe('\n')
        }
      }),
      { numRuns: 2000 },
    )
  })
})

test('importsOf() finds every form and nothing in comments, strings or names', () => {
  const source = `import 'a'
import b, { c } from "b"
import type {
  D,
} from './d.ts'
export * from './e.ts'
export { type F } from './f.ts'
const g = await import('./g.ts')
type H = import('./h.ts').H
// import 'no'
const text = "import 'no'; from 'no'"
const i = Array.from('no') + o.import('no') + transform('no')
const j = \`import 'no' \${await import(\`./j.ts\`)}\`
`
  expect(importsOf(source, codeOf(source)).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    '1 a',
    '2 b',
    '5 ./d.ts',
    '6 ./e.ts',
    '7 ./f.ts',
    '8 ./g.ts',
    '9 ./h.ts',
    '13 ./j.ts',
  ])
})
