import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Armed, FaultLab, ROW_TIMEOUT_MS, type Round } from '../../support/faults/fault-lab.ts'

setDefaultTimeout(ROW_TIMEOUT_MS)

const JOB = '// svc-mock: latency=0.1'
let lab: FaultLab

beforeAll(async () => {
  lab = await FaultLab.open()
})
afterAll(() => lab.close())

/**
 * The server dies with a dispatch under way, and restarts while its driver is still running. Returns the
 * job's attempt.
 */
async function killedOnTheWay(armed: Armed, { submit }: Round): Promise<number> {
  await lab.restart(armed)
  await using _driver = await lab.startDriver()
  const accepted = submit(JOB)
  if (armed.endsWith(':hang')) {
    await lab.hit(armed)
    await lab.restart()
  } else {
    await lab.recover()
  }
  return (await lab.untilCompleted(await accepted)).attempt
}

test.each<[string, Armed, number[]]>([
  ['F2 in the claim', 'dispatch.claiming:1:kill', [1]],
  // The driver reports that it does not have it: the job does not wait for the timeout.
  ['F2 after claim', 'dispatch.claimed:1:kill', [2]],
  ['F2 hung after claim', 'dispatch.claimed:1:hang', [2]],
  // A message that was given to the socket may or may not have been sent.
  ['F3 after send', 'dispatch.sent:1:kill', [1, 2]],
  // The driver has it for certain: its result is accepted after the restart, and nothing runs twice.
  ['F3 before the start is noted', 'mark job started.before:1:kill', [1]],
  ['F3 while the start is noted', 'mark job started.inside:1:kill', [1]],
  ['F3 after the start is noted', 'mark job started.after:1:kill', [1]],
  ['F3 hung while the start is noted', 'mark job started.inside:1:hang', [1]],
])('%s: the job is completed', (name, armed, attempts) =>
  lab.row(name, async (round) => {
    expect(attempts).toContain(await killedOnTheWay(armed, round))
  }),
)

test('F2 after claim, with its driver gone too: the job is put back at the timeout', () =>
  lab.row('F2 after claim, driver gone', async ({ submit }) => {
    await lab.restart('dispatch.claimed:1:kill')
    await using driver = await lab.startDriver()
    const accepted = submit()
    await lab.service.ended()
    await driver[Symbol.asyncDispose]()
    await lab.service.start()
    const id = await accepted
    await lab.untilEvent(id, 'lost')
    await using _next = await lab.startDriver()
    expect((await lab.untilCompleted(id)).attempt).toBe(2)
  }))
