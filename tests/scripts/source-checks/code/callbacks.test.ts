import { expect, test } from 'bun:test'
import { checkCallbacks } from '../../../../scripts/source-checks/code/callbacks.ts'
import { scanSource } from '../../../../scripts/source-text.ts'

function found(files: Record<string, string>): string[] {
  const sources = Object.entries(files).map(([file, source]) => ({ file, source, ...scanSource(source) }))
  return checkCallbacks(sources).map(({ file, line, reason }) => `${file}:${line} ${reason.split(':')[0]}`)
}

test('functions whose optional parameters a method fills are not passed by name', () => {
  const matrix = `export function multiply(a: M, b: M, rows = a.length / 2): M { return a }
export const scaled = (a: M, by?: number) => a
export const plain = (a: M, b: M) => a`
  const use = `import { multiply, plain, scaled } from './matrix.ts'
const product = all.reduce(multiply)
const others = all.map(scaled, undefined)
const fine = [all.reduce(plain), all.map((each) => scaled(each)), all.reduce((a, b) => multiply(a, b))]`
  expect(found({ 'src/qasm/matrix.ts': matrix, 'src/qasm/use.ts': use })).toEqual([
    'src/qasm/use.ts:2 reduce fills the optional parameters of multiply',
    'src/qasm/use.ts:3 map fills the optional parameters of scaled',
  ])
})

test('a function is found in its own file, behind an index, and nowhere else', () => {
  const own = `const items = list.filter(isLong)
function isLong(text: string, { most }: Limits, by: (n: number) => number = double): boolean { return true }`
  const index = `import { name } from './shapes/index.ts'
import { other } from './other.ts'
list.forEach(name)
list.forEach(other)`
  const shapes = 'export function name(each: Shape, depth = 0) {}\nexport function other(a: A, b = 0) {}'
  expect(found({ 'src/a/own.ts': own, 'src/a/use.ts': index, 'src/a/shapes/name.ts': shapes })).toEqual([
    'src/a/own.ts:1 filter fills the optional parameters of isLong',
    'src/a/use.ts:3 forEach fills the optional parameters of name',
  ])
})

test('required parameters, function types and comparisons are no optional parameters', () => {
  const source = `list.map(shown)
list.some(isLess)
const shown = (text: string, at: number, all: readonly string[]) => text
function isLess(one: A, by: (a: number) => boolean, rest: { a?: number }): boolean { return one <= by }
list.map(withDefaults)
function withDefaults(one: A, { most = 3, least }: Limits) {}`
  expect(found({ 'src/a.ts': source })).toEqual([])
})
