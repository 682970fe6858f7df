import { expect, test } from 'bun:test'
import { AppError, createLog } from '../../../src/base/index.ts'
import { WriteOutcomes } from '../../../src/db/engine/storage-watch.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const full = new AppError('storage_full', 'The disk is full', { reason: 'storage_full' })

test('WriteOutcomes logs the start and the end of an outage, not each refusal', async () => {
  const clock = new FakeClock()
  const lines: string[] = []
  const watch = new WriteOutcomes(clock, createLog({ write: (line) => lines.push(line) }))
  watch.failed(new AppError('conflict', 'another writer was first'))
  watch.succeeded()
  expect([watch.failure, watch.refusals, lines]).toEqual([undefined, 0, []])
  for (let at = 0; at < 20; at++) {
    watch.failed(full)
    // A small write may still succeed.
    watch.succeeded()
    await clock.advance(500)
  }
  expect([watch.failure, watch.refusals, lines.length]).toEqual([full, 20, 1])
  expect(lines[0]).toContain('"message":"storage refuses writes","reason":"storage_full"')
  await clock.advance(5_000)
  watch.succeeded()
  expect([watch.failure, lines.length]).toEqual([undefined, 2])
  expect(lines[1]).toContain('"message":"storage takes writes again","refused":20')
  watch.failed(full)
  expect(lines).toHaveLength(3)
})
