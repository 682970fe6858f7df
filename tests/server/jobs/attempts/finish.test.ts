import { describe, expect, test } from 'bun:test'
import type { EventPayload } from '../../../../src/protocol/index.ts'
import { figuresOf } from '../../../../src/protocol/result-figures.ts'
import { finishJob } from '../../../../src/server/jobs/attempts/finish.ts'
import { Heartbeats } from '../../../../src/server/jobs/attempts/heartbeats.ts'
import { JobLab, RESULTS } from '../../../support/server/job-lab.ts'

type Failure = Extract<EventPayload<'JobResult'>, { status: 'failed' }>['error']

/** A running job and ways in which its driver reports the end of it. */
async function open() {
  const lab = await JobLab.open()
  const { job, attempt, driver } = await lab.running(await lab.user())
  const dependencies = {
    ...lab.dependencies(),
    heartbeats: new Heartbeats(lab.clock, lab.config.jobTimeout),
  }
  const source = { driver, name: 'north' }
  await lab.clock.advance(2_000)
  const common = { job, attempt, epoch: 1, execution_ms: 1_000 }
  return {
    lab,
    job,
    completed: (results: typeof RESULTS) =>
      finishJob(dependencies, source, {
        ...{ ...common, status: 'completed', results, summary: figuresOf(results) },
      }),
    failed: (error: Failure) => finishJob(dependencies, source, { ...common, status: 'failed', error }),
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

describe('finishJob()', () => {
  test('applies results that have what the job asked for', async () => {
    await using it = await open()
    expect(await it.completed(RESULTS)).toEqual({ kind: 'applied', status: 'completed' })
    expect(await it.lab.job(it.job)).toMatchObject({ status: 'completed', duration: 1 })
  })

  test('fails a job whose results contradict it, and charges nothing', async () => {
    await using it = await open()
    const [first] = RESULTS.circuit_results
    if (!first) throw new Error('no results')
    const fewer = { ...RESULTS, shots: 99, circuit_results: [{ ...first, shots: 99, counts: { '00': 99 } }] }
    expect(await it.completed(fewer)).toMatchObject({
      ...{ kind: 'applied', status: 'failed', refused: expect.stringContaining('circuit_results.0') },
    })
    expect(await it.lab.job(it.job)).toMatchObject({ error_code: 'invalid_results', duration: 0 })
  })

  test('ends the job by an error of the user, and puts it back after one of the device', async () => {
    await using it = await open()
    expect(await it.failed({ class: 'device', message: 'warm', error_code: 'fridge' })).toEqual({
      ...{ kind: 'applied', status: 'pending' },
    })
    await using other = await open()
    expect(await other.failed({ class: 'user', message: 'no such gate' })).toEqual({
      ...{ kind: 'applied', status: 'failed' },
    })
    expect(await other.lab.job(other.job)).toMatchObject({ duration: 1 })
  })

  test('charges nothing and tries nothing again when a driver reports that results were invalid', async () => {
    await using it = await open()
    const error = { class: 'device', message: 'not a number', error_code: 'invalid_results' } as const
    expect(await it.failed(error)).toEqual({ kind: 'applied', status: 'failed' })
    expect(await it.lab.job(it.job)).toMatchObject({ error_code: 'invalid_results', duration: 0 })
  })
})
