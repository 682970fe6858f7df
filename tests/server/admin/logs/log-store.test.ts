import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, systemClock } from '../../../../src/base/index.ts'
import { LogStore } from '../../../../src/server/admin/logs/log-store.ts'
import { readLines } from '../../../../src/server/admin/logs/read-lines.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const ALL = { level: 'debug', text: '', from: undefined, to: undefined } as const

function open(path: string, maxBytes = 1024 * 1024) {
  const store = new LogStore({ dir: join(path, 'logs'), maxBytes, clock: systemClock })
  const times = { now: Date.UTC(2026, 0, 31, 9) }
  const log = createLog({ level: 'debug', store: store.write, write: () => undefined, now: () => times.now })
  return { store, log, times }
}

const messages = (lines: readonly { message: string }[]) => lines.map(({ message }) => message)

test('lines are kept over restarts, also those from before the start, and read newest first', async () => {
  using folder = temporaryFolder()
  const first = open(folder.path)
  first.log.info('one')
  first.store.start()
  first.log.info('two')
  await first.store.flush()
  first.log.info('three')
  first.store.flushNow()
  const second = open(folder.path)
  second.store.start()
  second.log.child('jobs').warn('four', { job: 'a1', password: 'hidden' })
  await second.store.flush()
  const { lines, next } = await readLines(second.store.segments(), ALL, { before: undefined, limit: 10 })
  expect([messages(lines), next]).toEqual([['four', 'three', 'two', 'one'], undefined])
  expect(lines[0]).toMatchObject({ level: 'warn', subject: 'jobs', job: 'a1', password: '[redacted]' })
})

test('pages over several files, levels, texts and ranges', async () => {
  using folder = temporaryFolder()
  const { store, log, times } = open(folder.path, 4 * 1024 * 1024)
  store.start()
  for (let n = 0; n < 3_000; n += 1) {
    times.now += 1_000
    log[n % 100 === 0 ? 'error' : 'info'](`line ${n}`, { filler: 'ä'.repeat(n % 300), n })
    if (n % 100 === 0) await store.flush()
  }
  await store.flush()
  const read = (filter: object, paging: object = {}) =>
    readLines(store.segments(), { ...ALL, ...filter }, { before: undefined, limit: 5_000, ...paging })
  const seen: string[] = []
  for (let before: { segment: number; offset: number } | undefined; ; ) {
    const page = await read({}, { before, limit: 700 })
    seen.push(...messages(page.lines))
    before = page.next
    if (!before) break
  }
  expect(seen).toEqual(Array.from({ length: 3_000 }, (_, n) => `line ${2_999 - n}`))
  expect((await read({ level: 'error' })).lines).toHaveLength(30)
  expect(messages((await read({ text: 'LINE 2999' })).lines)).toEqual(['line 2999'])
  const at = (n: number) => Date.UTC(2026, 0, 31, 9) + (n + 1) * 1_000
  const inRange = await read({ from: at(10), to: at(13) })
  expect([messages(inRange.lines), inRange.next]).toEqual([['line 12', 'line 11', 'line 10'], undefined])
})

test('the files never exceed their size, and one request reads a part of them', async () => {
  using folder = temporaryFolder()
  const maxBytes = 20 * 1024 * 1024
  const { store, log } = open(folder.path, maxBytes)
  store.start()
  for (let n = 0; n < 120; n += 1) {
    for (let part = 0; part < 10; part += 1) log.info(`line ${n}`, { filler: 'x'.repeat(30_000) })
    await store.flush()
  }
  const segments = store.segments()
  expect(segments.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(maxBytes)
  expect(segments[0]?.number).toBeGreaterThan(1)
  const { lines, next } = await readLines(
    segments,
    { ...ALL, text: 'nowhere' },
    { before: undefined, limit: 1 },
  )
  expect(lines).toEqual([])
  expect(next?.segment).toBeGreaterThan(segments[0]?.number ?? 0)
})

test('a full or missing disk loses lines, which are counted, and stops nothing', async () => {
  using folder = temporaryFolder()
  const { store, log } = open(folder.path)
  store.start()
  rmSync(join(folder.path, 'logs'), { recursive: true })
  for (let n = 0; n < 7; n += 1) log.info('lost')
  await store.flush()
  mkdirSync(join(folder.path, 'logs'))
  log.info('stored')
  await store.flush()
  const { lines } = await readLines(store.segments(), ALL, { before: undefined, limit: 10 })
  expect(lines.map(({ message, lines: count }) => [message, count])).toEqual([
    ['stored', undefined],
    ['log lines were not stored', 7],
  ])
})

test('memory is bounded while nothing is written, and long lines are shortened', async () => {
  using folder = temporaryFolder()
  const { store, log } = open(folder.path, 64 * 1024 * 1024)
  log.error('long', { filler: 'x'.repeat(200_000) })
  for (let n = 0; n < 3_000; n += 1) log.info(`line ${n}`, { filler: 'x'.repeat(1_000) })
  store.start()
  await store.flush()
  const [name = ''] = readdirSync(join(folder.path, 'logs'))
  const text = readFileSync(join(folder.path, 'logs', name), 'utf8')
  expect(text.length).toBeLessThan(1024 * 1024 + 1_000)
  const { lines } = await readLines(store.segments(), ALL, { before: undefined, limit: 5_000 })
  expect(lines.at(-1)).toMatchObject({
    message: 'log lines were not stored',
    lines: 3_000 - (lines.length - 2),
  })
  expect(lines.at(-2)).toMatchObject({ message: 'long', shortened: true })
})

test('the broken last line of a killed process is skipped', async () => {
  using folder = temporaryFolder()
  const { store, log } = open(folder.path)
  store.start()
  log.info('whole')
  await store.flush()
  const path = store.segments()[0]?.path ?? ''
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"time":"2026-01-31T09:0`)
  const { lines } = await readLines(store.segments(), ALL, { before: undefined, limit: 10 })
  expect(messages(lines)).toEqual(['whole'])
})
