/**
 * What following a calibration costs the server: `bun bench/tuning/progress.ts [--rounds 3] [--seconds 5]`. A
 * tuner sends its ten steps a second, with and without the trace that was measured last, while dashboards
 * follow the run. In ms of processor time of the server per step, less that of an idle one.
 */
import type { Target } from '../../tests/attack/attack.ts'
import { attach, requestCalibration, stepAt, TRACE } from '../../tests/attack/clients/driver-client.ts'
import { Service } from '../../tests/support/executable/service.ts'
import { EventSourceClient } from '../../tests/support/server/event-source.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { spreadOf } from '../support/figures.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from '../support/output.ts'
import { usedMs } from '../support/processor-time.ts'

const PER_SECOND = 10
/** As many streams as one account may have. */
const DASHBOARDS = 5

const { rounds, seconds } = startBench('Progress of a calibration', { seconds: '5' })
using folder = temporaryFolder()
await using service = await Service.install(folder.path)
await service.start()
const { id: qpu } = await service.createQpu('kelvin')
const { body } = await service.call<{ token: string }>('POST', '/api/op/drivers/create', {
  token: await service.admin(),
  body: { name: 'tuner', qpu, operation: 'calibrate' },
})
const target = { url: service.url } as Target
const tuner = await attach(target, body.token)
await requestCalibration(tuner, target)
const following = await Promise.all(Array.from({ length: DASHBOARDS }, follow))

/** A stream of the calibrations, as the page of a run has one. */
async function follow(): Promise<EventSourceClient> {
  const stream = await EventSourceClient.open(`${service.url}/api/realtime`)
  await service.call('POST', '/api/realtime', {
    token: await service.admin(),
    body: { clientId: await stream.clientId(), subscriptions: ['calibration_requests/*'] },
  })
  return stream
}

/** Processor time of the server in ms while `count` steps are sent at the pace of a tuner. */
async function costOf(count: number, step: ((number: number) => object) | undefined): Promise<number> {
  const before = usedMs(service.pid ?? 0)
  for (let number = 0; number < count; number++) {
    const { run_id, request_id } = tuner.run ?? {}
    if (step) await tuner.event('CalibrationProgress', { run_id, request_id, ...step(number) })
    await Bun.sleep(1_000 / PER_SECOND)
  }
  return (usedMs(service.pid ?? 0) - before) / count
}

const count = Number(seconds) * PER_SECOND
const steps = {
  'a step': (number: number) => ({ phase: 'routine', step: number, total: 33, routine: 't1', target: 'q0' }),
  'with a trace of 200 points and 100 outcomes': (number: number) => stepAt(number, TRACE),
}
const costs = new Map(Object.keys(steps).map((name) => [name, [] as number[]]))
for (let round = 0; round < rounds; round++) {
  const idle = await costOf(count, undefined)
  for (const [name, step] of Object.entries(steps)) costs.get(name)?.push((await costOf(count, step)) - idle)
}
printTable(
  [`ms of the processor, ${DASHBOARDS} dashboards`, ...SPREAD_HEAD],
  Array.from(costs, ([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)
const path = `/api/collections/calibration_requests/records/${tuner.run?.request_id}`
const { progress } = (await service.call<{ progress: object }>('GET', path, { token: await service.admin() }))
  .body
const received = following.reduce((sum, stream) => sum + stream.events.length, 0) / DASHBOARDS
console.log(
  `\nThe progress has ${JSON.stringify(progress).length} bytes; a dashboard received ${received} events for ${2 * rounds * count} steps`,
)
for (const stream of following) await stream[Symbol.asyncDispose]()
