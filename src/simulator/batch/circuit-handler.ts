import { systemClock } from '../../base/index.ts'
import { executionsOf } from '../circuits/executions.ts'
import { SimulationError } from '../errors.ts'
import { createEngine } from '../kernel/engine.ts'
import type { NoiseModel, NoiseSource } from '../noise/noise-model.ts'
import { TimeBudget } from '../timing/time-budget.ts'
import { resultBudgetOf } from './batch-job.ts'
import { CircuitRunner } from './circuit-runner.ts'
import type { BatchMessage, BatchResponse } from './circuit-workers.ts'
import { type CircuitReport, runNextCircuits, WorkQueue } from './work-queue.ts'

/**
 * Handles the batches that `CircuitWorkers` sends to a thread. `readNoise` reads the noise model of a job,
 * because a model cannot be sent between threads.
 */
export function circuitHandler(
  readNoise: (source: NoiseSource) => NoiseModel,
): (message: BatchMessage, respond: (response: BatchResponse) => void) => void {
  const started = createEngine(1)
  return async ({ job, queue, results, ms, sentAt, threads }, respond) => {
    const left = ms - Math.max(0, systemClock.now() - sentAt)
    const deadline = systemClock.monotonic() + left
    // The signal never aborts: cancelling a job ends the whole thread.
    const timeLimit = { signal: new AbortController().signal, deadline }
    const noise = job.noise && readNoise(job.noise)
    const engine = await started
    const timeBudget = new TimeBudget(systemClock, timeLimit)
    const resultBudget = resultBudgetOf(job, results)
    const parts = { noise, clock: systemClock, engine, timeBudget, resultBudget, threads }
    const runner = new CircuitRunner(job, parts)
    const read = () => executionsOf(job.circuits, job.limits, () => timeBudget.check())
    await runNextCircuits(runner, read, new WorkQueue(queue), (report) => respond(responseOf(report)))
  }
}

function responseOf(report: CircuitReport): BatchResponse {
  const { stream } = report
  if (!('error' in report)) return { kind: 'done', ...report }
  const { error } = report
  if (error instanceof SimulationError)
    return { kind: 'failed', stream, message: error.message, details: error.details }
  return { kind: 'failed', stream, message: String(error), details: undefined }
}
