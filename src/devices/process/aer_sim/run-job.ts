import { type Clock, toTimestamp } from '../../../base/index.ts'
import type { CircuitResult, JobPayload, JobResults } from '../../../protocol/index.ts'
import type { JobIo } from '../../define-device.ts'
import { jobResultsOf } from '../../results.ts'
import type { Batch } from './batch.ts'
import { type Bounds, executionsOf, refuseTraces } from './executions.ts'
import type { Engine } from './methods/statevector/engine.ts'
import type { Noise } from './noise/read-noise.ts'
import { ShareRunner } from './run-share.ts'

interface Simulation {
  /** Name of the device, for messages and results. */
  device: string
  payload: JobPayload
  bounds: Bounds
  /** Name of the simulation method, or `automatic`. */
  method: string
  /** An integer from 0 to 2^53 - 1; the seed of the payload wins. */
  seed: number
  /** What the device adds to the circuits; absent for an exact simulation. */
  noise?: Noise | undefined
  clock: Clock
  engine: Engine
  /** Threads that run circuits of their own; absent to run all of them here. */
  batch?: Batch
  io: JobIo
}

/** From this many on, circuits are shared among threads. */
const BATCH_FROM = 4

/**
 * Runs every circuit of a job with every parameter set; results come in order.
 * @throws JobError when one of them cannot be run; the job has no results then.
 */
export async function simulateJob(simulation: Simulation): Promise<JobResults> {
  const { device, payload, bounds, method, noise, clock, engine, batch, io } = simulation
  refuseTraces(device, payload)
  const seed = payload.seed ?? simulation.seed
  const started = clock.now()
  const startedAt = clock.monotonic()
  const executions = executionsOf(payload)
  const job = { device, payload, bounds, method, seed, noise: noise?.source }
  const parts = { noise: noise?.model, clock, engine, io }
  const results: CircuitResult[] = []
  if (batch && executions.length >= BATCH_FROM) await batch.run(job, executions, parts, results)
  const runner = new ShareRunner(job, { ...parts, threads: 1 })
  for (const execution of executions) {
    if (results[execution.stream]) continue
    io.phase(`circuit ${execution.stream}`)
    results[execution.stream] = await runner.run(runner.prepare(execution))
  }
  return jobResultsOf(device, results, {
    device,
    started: toTimestamp(started),
    finished: toTimestamp(clock.now()),
    seconds: (clock.monotonic() - startedAt) / 1_000,
    seed,
    backend_kind: 'simulated',
  })
}
