import { expect, test } from 'bun:test'
import { failedFiles } from '../../scripts/test.ts'

test('files with failures are found in a report, each once', () => {
  const suite = (file: string, failures: number, indent = '') =>
    `${indent}<testsuite name="${file}" file="${file}" tests="4" assertions="4" failures="${failures}" skipped="0" time="0.6">`
  const report = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    suite('tests/a.test.ts', 0),
    suite('tests/b.test.ts', 12),
    suite('tests/b.test.ts', 10, '  '),
    suite('tests/c.test.ts', 1),
  ].join('\n')
  expect(failedFiles(report)).toEqual(['tests/b.test.ts', 'tests/c.test.ts'])
  expect(failedFiles('')).toEqual([])
})
