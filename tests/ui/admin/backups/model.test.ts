import { expect, test } from 'bun:test'
import { canRestore, formatBytes, titleOf } from '../../../../ui/admin/backups/model.ts'

test('sizes have three digits and a unit', () => {
  expect([0, 999, 1_000, 745_472, 26_214_400, 5e12].map(formatBytes)).toEqual([
    ...['0\u00a0B', '999\u00a0B', '0.98\u00a0KiB', '728\u00a0KiB', '25.0\u00a0MiB', '4.55\u00a0TiB'],
  ])
})

test('an operation is named by what it does or did', () => {
  expect(titleOf({ kind: 'restore', name: 'a.db', state: 'running' })).toBe('Restoring a.db')
  expect(titleOf({ kind: 'create', name: 'a.db', state: 'failed' })).toBe('Could not make a.db')
})

test('what a check has refused is not offered for a restore', () => {
  const backup = { name: 'a.db', kind: 'backup' as const, bytes: 1, created: '', verified: '', version: '' }
  expect(canRestore({ ...backup, findings: 0, problem: '' })).toBe(true)
  expect(canRestore({ ...backup, findings: 2, problem: '' })).toBe(false)
  expect(canRestore({ ...backup, findings: 0, problem: 'damaged' })).toBe(false)
})
