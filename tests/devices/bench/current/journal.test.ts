import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CurrentJournal, type JournalEntry } from '../../../../src/devices/bench/current/journal.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const ENTRY: JournalEntry = {
  edge: 'q0_q1',
  address: { source: 'spi', module: 2, output: 0 },
  before: 4.2e-4,
  run: 'run1',
  at: '2026-01-31T09:00:00.000Z',
}

test('entries outlive the process, the first one of an edge counts, and the file goes with the last', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'data', 'bias.journal.json')
  const journal = new CurrentJournal(path)
  expect(journal.entries).toEqual([])
  journal.add(ENTRY)
  journal.add({ ...ENTRY, before: 9e-4 })
  journal.add({ ...ENTRY, edge: 'q1_q2', abortRate: 5e-4 })
  expect(new CurrentJournal(path).entries).toEqual([ENTRY, { ...ENTRY, edge: 'q1_q2', abortRate: 5e-4 }])
  journal.remove('q0_q1')
  expect(new CurrentJournal(path).entries.map(({ edge }) => edge)).toEqual(['q1_q2'])
  journal.remove('q1_q2')
  journal.remove('q1_q2')
  expect(existsSync(path)).toBe(false)
  expect(readdirSync(dirname(path))).toEqual([])
})

test('a file that is no journal prevents the start', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'bias.journal.json')
  for (const text of ['', '{"version":1,"entr', '{"version":2,"entries":[]}', '[]']) {
    writeFileSync(path, text)
    expect(() => new CurrentJournal(path)).toThrow('compare the currents with the device file by hand')
  }
  const { before: _, ...incomplete } = ENTRY
  writeFileSync(path, JSON.stringify({ version: 1, entries: [incomplete] }))
  expect(() => new CurrentJournal(path)).toThrow('startup error')
  mkdirSync(join(folder.path, 'folder'))
  expect(() => new CurrentJournal(join(folder.path, 'folder'))).toThrow('cannot be read')
})
