import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { submit, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { BELL } from '../../support/executable/service.ts'
import { type Armed, FaultLab, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'

setDefaultTimeout(ROW_TIMEOUT_MS)

let lab: FaultLab

beforeAll(async () => {
  lab = await FaultLab.open()
})
afterAll(() => lab.close())

// The driver stores its result until it is acknowledged: each of these ends with a resend, applied or stale.
test.each<[string, Armed]>([
  ['F4 before the transaction', 'finish job.before:1:kill'],
  ['F4 in the transaction', 'finish job.inside:1:kill'],
  ['F4 after the commit', 'finish job.after:1:kill'],
  ['F4 after the acknowledgement', 'result.acknowledged:1:kill'],
  ['F4 hung in the transaction', 'finish job.inside:1:hang'],
  ['F4 hung after the commit', 'finish job.after:1:hang'],
])('%s: the result is taken once', (name, armed) =>
  lab.row(name, async ({ submit }) => {
    await lab.restart(armed)
    await using _driver = await lab.startDriver()
    const accepted = submit()
    await lab.hit(armed)
    await lab.restart()
    expect((await lab.untilCompleted(await accepted)).attempt).toBe(1)
    await lab.untilAcknowledged()
  }),
)

// Neither is charged or tried again, whatever moment the server dies at.
test.each<[string, Armed]>([
  ['before the transaction', 'finish job.before:1:kill'],
  ['in the transaction', 'finish job.inside:1:kill'],
  ['after the commit', 'finish job.after:1:kill'],
  ['after the acknowledgement', 'result.acknowledged:1:kill'],
])('F4 %s, with results that contradict the job: it fails once, free of charge', async (_, armed) => {
  await lab.restart(armed)
  await using _driver = await lab.startDriver()
  const circuits = [{ circuit: `// svc-mock: fail=miscount\n${BELL}` }]
  const accepted = submit(lab.service, lab.user.token, { circuits, qpu_target: 'target' })
  await lab.hit(armed)
  await lab.restart()
  const job = await untilJob(lab.service, lab.user.token, await accepted)
  expect([job.status, job.attempt, job.error?.code]).toEqual(['failed', 1, 'invalid_results'])
  expect(job.error?.message).toContain('counts add up to 105 of 100 shots')
  expect([job.charged_seconds, timesOf(job, 'failed')]).toEqual([null, 1])
  await lab.untilAcknowledged()
})

test('F4 thrice in a row, at each resend another moment', () =>
  lab.row('F4 at each resend', async ({ submit }) => {
    await lab.restart('finish job.inside:1:kill')
    await using _driver = await lab.startDriver()
    const accepted = submit()
    for (const armed of [
      'finish job.before:1:kill',
      'finish job.after:1:kill',
      'finish job.after:1:kill',
    ] as const) {
      await lab.service.ended()
      await lab.restart(armed)
    }
    await lab.recover()
    expect((await lab.untilCompleted(await accepted)).attempt).toBe(1)
    await lab.untilAcknowledged()
  }))

test('F4 with an error in the transaction: it is undone whole, and the resend applies', () =>
  lab.row('F4 error in the transaction', async ({ submit }) => {
    await lab.restart('finish job.inside:1:throw')
    await using _driver = await lab.startDriver()
    const accepted = submit()
    await lab.hit('finish job.inside:1:throw')
    // No acknowledgement without a commit: the driver sends it again after 5 s, or when it is back.
    await lab.restart()
    expect((await lab.untilCompleted(await accepted)).attempt).toBe(1)
    await lab.untilAcknowledged()
  }))

test('F4 with an error after the commit: the resend is stale', () =>
  lab.row('F4 error after the commit', async ({ submit }) => {
    await lab.restart('finish job.after:1:throw')
    await using driver = await lab.startDriver()
    const accepted = submit()
    expect((await lab.untilCompleted(await accepted)).attempt).toBe(1)
    await lab.restart()
    await driver.untilLogged('the server discarded an event as obsolete')
    await lab.untilAcknowledged()
  }))
