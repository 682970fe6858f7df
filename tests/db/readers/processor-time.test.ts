import { expect, test } from 'bun:test'
import { processorMsOf } from '../../../src/db/readers/processor-time.ts'
import { until } from '../../support/until.ts'

test('processorMsOf() grows while a process works, and is unknown for one that does not exist', async () => {
  const child = Bun.spawn([process.execPath, '-e', 'for (;;) {}'], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await until('it has worked', () => (processorMsOf(child.pid) ?? 0) > 200)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
  expect(processorMsOf(2 ** 30)).toBeUndefined()
})
