import { expect, test } from 'bun:test'
import { toCsv } from '../../../src/db/transfer/index.ts'

const textOf = async (columns: string[], rows: Record<string, unknown>[]) =>
  (await Array.fromAsync(toCsv(columns, rows))).join('')

test('toCsv() begins with the names of the columns, also without rows', async () => {
  expect(await textOf(['id', 'name'], [])).toBe('id,name\r\n')
})

test('toCsv() writes the cells of each row in the order of the columns', async () => {
  const rows = [{ name: 'a', id: '1', more: 'left out' }, { id: '2' }]
  expect(await textOf(['id', 'name'], rows)).toBe('id,name\r\n1,a\r\n2,\r\n')
})

test('toCsv() quotes cells that contain separators or outer blanks', async () => {
  const values = ['a,b', 'say "no"', 'two\nlines', 'carriage\rreturn', ' padded ']
  expect(
    await textOf(
      ['x'],
      values.map((x) => ({ x })),
    ),
  ).toBe('x\r\n"a,b"\r\n"say ""no"""\r\n"two\nlines"\r\n"carriage\rreturn"\r\n" padded "\r\n')
})

test('toCsv() writes numbers, booleans and JSON as text, and null as an empty cell', async () => {
  const row = { number: 1.5, bool: false, list: ['a', 'b'], object: { a: 1 }, none: null }
  expect(await textOf(Object.keys(row), [row])).toBe(
    'number,bool,list,object,none\r\n1.5,false,"[""a"",""b""]","{""a"":1}",\r\n',
  )
})

test('toCsv() puts an apostrophe before what a spreadsheet would run, and not before numbers', async () => {
  const formulas = [
    '=1+1',
    '+cmd|x!A0',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    ' =1',
    '\uFF1D1+1',
    '=HYPERLINK("http://x")',
  ]
  const plain = ['-5', '+1.5', 'a=b', 'ada@lab.example', -3, '']
  const lines = (
    await textOf(
      ['x'],
      [...formulas, ...plain].map((x) => ({ x })),
    )
  )
    .split('\r\n')
    .slice(1)
  expect(lines.slice(0, formulas.length).every((line) => /^"?'/.test(line))).toBe(true)
  expect(lines.slice(formulas.length)).toEqual([...plain.map(String), ''])
})
