import { expect, test } from 'bun:test'
import { FakeClock } from '../../../src/base/index.ts'
import { checkPrograms } from '../../../src/server/jobs/check-programs.ts'
import { readSubmission } from '../../../src/server/jobs/read-submission.ts'

/** Whose time passes by itself, so that each slice is over when it is asked for. */
class HastyClock extends FakeClock {
  #asked = 0

  override monotonic(): number {
    this.#asked += 1
    return this.#asked * 100
  }
}

test('checkPrograms() lets others have their turn within one large program', async () => {
  const circuit = `OPENQASM 3.0; float x = 1; ${'x = x + 1; '.repeat(20_000)}`
  const { payload } = readSubmission({ circuits: [circuit, circuit] })
  let turns = 0
  let isChecking = true
  const others = (async () => {
    while (isChecking) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
    }
  })()
  const report = await checkPrograms(payload, new HastyClock())
  isChecking = false
  await others
  expect(report.problems).toEqual([])
  expect(turns).toBeGreaterThanOrEqual(40)
})
