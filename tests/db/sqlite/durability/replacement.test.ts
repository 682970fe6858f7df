import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  acceptReplacement,
  finishMoves,
  readReplacement,
  replaceDatabase,
  returnReplaced,
} from '../../../../src/db/sqlite/durability/replacement.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const JOURNAL = 'svc.replacement'
const PLAN = { staged: 'restore-1/svc.db', kept: 'svc.db.before-restore', backup: 'b.db' }
const OLD = ['svc.db-wal', 'svc.db-mark', 'svc.db'] as const

/** A data folder with an old database, its log and mark, and a new one that is staged. */
function dataFolder() {
  const folder = temporaryFolder()
  const dir = join(folder.path, 'data')
  mkdirSync(join(dir, 'restore-1'), { recursive: true })
  for (const name of OLD) writeFileSync(join(dir, name), `old ${name}`)
  writeFileSync(join(dir, PLAN.staged), 'new')
  return { path: folder.path, dir, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const read = (dir: string, name: string) => {
  const path = join(dir, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
const journal = (dir: string, direction: string) =>
  writeFileSync(join(dir, JOURNAL), JSON.stringify({ ...PLAN, direction }))

/** The old database is whole: in service, or under its second name. */
function expectOld(dir: string, name: string) {
  const from = (file: string) => file.replace('svc.db', name)
  expect(OLD.map((file) => read(dir, from(file)))).toEqual(OLD.map((file) => `old ${file}`))
}

/** The moves of a way forward, in order; a process may end after any of them. */
const FORWARD: [from: string, to: string][] = [
  ...OLD.map((name): [string, string] => [name, name.replace('svc.db', PLAN.kept)]),
  [PLAN.staged, 'svc.db'],
]

/** The moves of a way back, when the new database has a log by then. */
const BACK: [from: string, to: string][] = [
  ['svc.db-wal', `${PLAN.staged}-wal`],
  ['svc.db', PLAN.staged],
  ...OLD.map((name): [string, string] => [name.replace('svc.db', PLAN.kept), name]),
]

function move(dir: string, moves: readonly [string, string][]) {
  for (const [from, to] of moves) renameSync(join(dir, from), join(dir, to))
}

describe('a replacement of the database', () => {
  test('puts the new one into service and keeps the old one with its log and mark', () => {
    using lab = dataFolder()
    replaceDatabase(lab.dir, PLAN)
    expect(read(lab.dir, 'svc.db')).toBe('new')
    expectOld(lab.dir, PLAN.kept)
    expect(readReplacement(lab.dir)).toEqual({ ...PLAN, direction: 'forward' })
    acceptReplacement(lab.dir)
    expect(readReplacement(lab.dir)).toBeUndefined()
    expect(readdirSync(lab.dir).toSorted()).toEqual(
      ['svc.db', ...OLD.map((name) => name.replace('svc.db', PLAN.kept))].toSorted(),
    )
    acceptReplacement(lab.dir)
    returnReplaced(lab.dir)
    expect(read(lab.dir, 'svc.db')).toBe('new')
  })

  test.each(FORWARD.keys().toArray())('is finished after the process ended behind move %i', (done) => {
    using lab = dataFolder()
    journal(lab.dir, 'forward')
    move(lab.dir, FORWARD.slice(0, done))
    finishMoves(lab.dir)
    expect([read(lab.dir, 'svc.db'), read(lab.dir, 'svc.db-wal')]).toEqual(['new', undefined])
    expectOld(lab.dir, PLAN.kept)
    finishMoves(lab.dir)
    expect(read(lab.dir, 'svc.db')).toBe('new')
  })

  test.each(FORWARD.keys().toArray())('goes back after the process ended behind move %i', (done) => {
    using lab = dataFolder()
    journal(lab.dir, 'forward')
    move(lab.dir, FORWARD.slice(0, done))
    finishMoves(lab.dir)
    returnReplaced(lab.dir)
    expectOld(lab.dir, 'svc.db')
    expect(readdirSync(lab.dir).toSorted()).toEqual([...OLD].toSorted())
  })

  test.each([0, 1, 2, 3, 4, 5])('goes back to the old one, also when ended behind move %i back', (done) => {
    using lab = dataFolder()
    replaceDatabase(lab.dir, PLAN)
    writeFileSync(join(lab.dir, 'svc.db-wal'), 'log of the new one')
    journal(lab.dir, 'back')
    move(lab.dir, BACK.slice(0, done))
    cpSync(lab.dir, join(lab.path, 'copy'), { recursive: true })
    for (const dir of [lab.dir, join(lab.path, 'copy')]) {
      finishMoves(dir)
      expectOld(dir, 'svc.db')
      expect(readdirSync(dir).toSorted()).toEqual([...OLD].toSorted())
    }
  })
})
