import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '../../../../src/base/index.ts'
import { RawDataSpace } from '../../../../src/devices/bench/raw-data/raw-data-space.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

function spaceOf(folder: string, limits: { maxBytes: number; minFreeBytes: number }) {
  const warnings: unknown[] = []
  const log: Log = { ...silentLog, warn: (message) => warnings.push(message) }
  const clock = new FakeClock()
  return { space: new RawDataSpace({ folder, clock, log, limits }), warnings, clock }
}

test('files of former runs count, and a folder that is full is reported once', async () => {
  using folder = temporaryFolder()
  const former = join(folder.path, 'former', 'run')
  mkdirSync(former, { recursive: true })
  writeFileSync(join(former, '00001-q0.npy'), 'x'.repeat(600))
  const { space, warnings, clock } = spaceOf(folder.path, { maxBytes: 1_000, minFreeBytes: 0 })
  const taken = []
  for (const bytes of [300, 101, 100, 1]) taken.push(await space.take(bytes))
  expect(taken).toEqual([true, false, true, false])
  expect(await space.take(1)).toBe(false)
  expect(warnings).toHaveLength(2)
  // Somebody moves the former run away, which is seen a minute later.
  rmSync(former, { recursive: true })
  expect(await space.take(1)).toBe(false)
  await clock.advance(60_000)
  expect(await space.take(900)).toBe(true)
})

test('the disk keeps room for what else is written to it', async () => {
  using folder = temporaryFolder()
  const { space, warnings } = spaceOf(folder.path, {
    ...{ maxBytes: Number.POSITIVE_INFINITY, minFreeBytes: Number.POSITIVE_INFINITY },
  })
  expect(await space.take(1)).toBe(false)
  expect(warnings).toEqual(['raw data are not stored: move files of the folder away'])
})
