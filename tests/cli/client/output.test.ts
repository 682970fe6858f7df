import { expect, test } from 'bun:test'
import { countLines, fields, plain, table } from '../../../src/cli/client/output.ts'

test('texts of other people cannot control the terminal', () => {
  expect(plain('a\u001b[31mb\u009bc\u202ed\n')).toBe('a\ufffd[31mb\ufffdc\ufffdd\ufffd')
  expect(table(['NAME'], [['\u001b]0;x\u0007']])).toEqual(['NAME', '\ufffd]0;x\ufffd'])
})

test('columns are as wide as their widest value', () => {
  expect(
    table(
      ['JOB', 'NAME'],
      [
        ['abc', ''],
        ['d', 'bell'],
      ],
    ),
  ).toEqual(['JOB  NAME', 'abc', 'd    bell'])
  expect(fields({ Job: 'abc', Name: '', Shots: 5, Error: undefined })).toEqual(['Job    abc', 'Shots  5'])
})

test('counts have bars of their share; rare outcomes of many are counted', () => {
  expect(countLines({ '11': 25, '00': 75 })).toEqual([
    `  00     75  ${'█'.repeat(30)}`,
    `  11     25  ${'█'.repeat(10)}`,
  ])
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [String(at).padStart(2, '0'), at + 1]),
  )
  const lines = countLines(many)
  expect(lines).toHaveLength(33)
  expect(lines[0]).toStartWith('  08')
  expect(lines.at(-1)).toBe('  … and 8 less frequent outcomes; --json prints all')
})
