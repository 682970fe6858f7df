import { expect, test } from 'bun:test'
import { checkTable } from '../../../src/cli/check/check.ts'

test('the steps of a check are a table that ends with what failed', () => {
  const passed = { step: 'connection', subject: '10.0.0.2:5025', passed: true, detail: 'Cluster MM' }
  const failed = { step: 'module', subject: 'slot 5', passed: false, detail: 'no module' }
  expect(checkTable([passed])).toEqual([
    'ok      connection  10.0.0.2:5025  Cluster MM',
    ...['', 'All checks passed'],
  ])
  expect(checkTable([passed, failed]).slice(1)).toEqual([
    'FAILED  module      slot 5         no module',
    ...['', 'Stopped at the first mismatch: module'],
  ])
  const files = { step: 'files', subject: 'device file', passed: false, detail: 'line 1' }
  expect(checkTable([files, files]).at(-1)).toBe('2 problems of the files')
})
