import { describe, expect, test } from 'bun:test'
import { circuitResultOf, JobError, type JobIo, jobResultsOf } from '../../../src/devices/index.ts'
import { runProcess } from '../../../src/driver/operations/process.ts'
import type { CircuitResult, RunJob } from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import { runJobOf } from '../support/jobs.ts'
import { operationIo } from './support.ts'

const circuit = { qubits: 1, clbits: 1, qregs: [], cregs: [] }

function resultOf(circuitIndex: number, counts: Record<string, number> = { '0': 1 }): CircuitResult {
  return circuitResultOf({ circuitIndex, circuit, shots: 1, counts, metadata: {} })
}

const ALL = [0, 1, 2].map((index) => resultOf(index))
const COMMAND: RunJob = {
  ...runJobOf('x'),
  payload: { ...runJobOf('x').payload, circuits: [1, 2, 3].map(() => ({ circuit: 'x' })) },
  labels: [{ name: 'first' }, {}, {}],
  knows_progress: true,
}

/** A device that does `run` with what a job may use, and the reports about it. */
async function runWith(
  run: (io: JobIo, clock: ReturnType<typeof operationIo>['clock']) => Promise<void>,
  command = COMMAND,
) {
  const at = operationIo()
  const operation = runProcess(
    {
      async run(_, io) {
        await run(io, at.clock)
        return jobResultsOf('coin', ALL.slice(0, command.payload.circuits.length), {})
      },
    },
    at.io,
  )
  operation.onCommand(command)
  const payloadsOf = (kind: 'event' | 'result') =>
    at.sent.flatMap((message) =>
      message.kind === kind && 'body' in message ? [JSON.parse(message.body).payload] : [],
    )
  return { ...at, operation, reports: () => payloadsOf('event'), end: () => payloadsOf('result')[0] }
}

const positions = ({ results }: { results: { index: number }[] }) => results.map(({ index }) => index)

describe('JobProgress', () => {
  test('is sent once a second, with labels, and with nothing that was sent before', async () => {
    const it = await runWith(async (io, clock) => {
      io.result?.(0, resultOf(0))
      io.result?.(2, resultOf(2))
      await clock.advance(1_000)
      io.result?.(1, resultOf(1))
      await clock.advance(999)
      io.progress?.(0.9)
    })
    await until('the job ends', () => it.end() !== undefined)
    expect(it.reports()).toMatchObject([
      { job: COMMAND.job, attempt: 1, progress: 2 / 3, results: [{ index: 0 }, { index: 2 }] },
    ])
    expect(it.reports()[0].results[0].result.header.name).toBe('first')
    expect(it.end()).toMatchObject({ status: 'completed' })
  })

  test('has the progress that the device states', async () => {
    const it = await runWith(async (io, clock) => {
      io.progress?.(0.4)
      await clock.advance(1_000)
      io.progress?.(Number.NaN)
      await clock.advance(1_000)
    })
    await until('the job ends', () => it.end() !== undefined)
    expect(it.reports()).toMatchObject([{ progress: 0.4, results: [] }])
    expect(it.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  test('is sent at once when the job fails or is cancelled', async () => {
    const failing = await runWith(async (io) => {
      io.result?.(1, resultOf(1))
      throw new JobError('the pump has stopped')
    })
    await until('the job ends', () => failing.end() !== undefined)
    expect(failing.reports().map(positions)).toEqual([[1]])
    expect(failing.sent.map(({ kind }) => kind).slice(-2)).toEqual(['event', 'result'])

    const hanging = await runWith(async (io) => {
      io.result?.(0, resultOf(0))
      await new Promise(() => undefined)
    })
    await until('the job begins', () => hanging.sent.length > 0)
    hanging.operation.cancel?.('job000000000001.1')
    expect(hanging.reports().map(positions)).toEqual([[0]])
  })

  test('is sent again after the connection has ended', async () => {
    const it = await runWith(async (io, clock) => {
      io.result?.(0, resultOf(0))
      await clock.advance(1_000)
      io.result?.(1, resultOf(1))
      it.operation.onDetached?.()
      await clock.advance(1_000)
    })
    await until('the job ends', () => it.end() !== undefined)
    expect(it.reports().map(positions)).toEqual([[0], [1, 0]])
  })

  test('fails a job whose single results contradict it, and sends none of them', async () => {
    const it = await runWith(async (io, clock) => {
      io.result?.(0, resultOf(0, { '0': 2 }))
      await clock.advance(1_000)
    })
    await until('the job ends', () => it.end() !== undefined)
    expect(it.reports()).toMatchObject([{ results: [] }])
    expect(it.end()).toMatchObject({
      ...{ status: 'failed' },
      error: { error_code: 'invalid_results', message: expect.stringContaining('circuit_results.0.counts') },
    })
  })

  test.each([
    ['of a job with one circuit', { ...COMMAND, payload: runJobOf('x').payload, labels: [] }],
    ['to a server that does not store it', { ...COMMAND, knows_progress: false }],
  ])('is not sent %s', async (_, command) => {
    const it = await runWith(async (io, clock) => {
      io.result?.(0, resultOf(0))
      await clock.advance(2_000)
      throw new JobError('the pump has stopped')
    }, command)
    await until('the job ends', () => it.end() !== undefined)
    expect(it.reports()).toEqual([])
  })
})
