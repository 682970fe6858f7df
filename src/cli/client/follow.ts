import type { Job } from '../../../clients/js/src/index.ts'
import { Result } from '../../../clients/js/src/result.ts'
import { flag, kinds, systemClock, withTimeout } from '../../base/index.ts'
import { openProgress } from '../command-line/progress.ts'
import { ExitError } from '../command-line/usage-error.ts'
import { plain, resultLines, stateOf } from './output.ts'

/** As timeout(1). */
const TIMED_OUT = 124
/** As a shell after Ctrl+C. */
const INTERRUPTED = 130
const FAILED = 4
const CANCELLED = 5

/** How long to wait; `--timeout` of the commands that wait. */
export const TIMEOUT_FLAG = flag(
  kinds.duration(),
  'How long to wait, such as 10m; unlimited if unset. The job goes on',
)

/**
 * Waits until a job has ended, and shows on a terminal why it waits, its position and its estimated start.
 * Lost connections and restarts of the server do not end the wait.
 *
 * @throws ExitError 130 after Ctrl+C and 124 after `timeoutMs`: the job goes on.
 */
export async function follow(job: Job, timeoutMs: number | undefined): Promise<Job> {
  const interrupted = new AbortController()
  const { signal } = interrupted
  const onInterrupt = () => interrupted.abort()
  process.once('SIGINT', onInterrupt)
  const stop = (status: number, reason: string): never => {
    throw new ExitError(status, `${reason}; job ${job.id} goes on; its result: svc result ${job.id}`)
  }
  try {
    if (timeoutMs === undefined) return await showUntilDone(job, signal)
    return await withTimeout((until) => showUntilDone(job, until), {
      clock: systemClock,
      ms: timeoutMs,
      signal,
      onTimeout: () => stop(TIMED_OUT, `Not ended within ${timeoutMs / 1000} s`),
    })
  } catch (error) {
    return signal.aborted ? stop(INTERRUPTED, 'Stopped waiting') : Promise.reject(error)
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

async function showUntilDone(job: Job, signal: AbortSignal): Promise<Job> {
  const progress = openProgress()
  let last = job
  try {
    for await (const current of job.watch({ signal })) {
      last = current
      if (!current.isDone) progress.report(`Job ${job.id} ${stateOf(current)}`)
    }
    return last
  } finally {
    progress.end()
  }
}

/** Prints the results of a job that has ended, or why it has none. */
export function printOutcome(job: Job): void {
  if (job.status === 'completed') {
    const result = resultOf(job)
    console.log(resultLines(result).join('\n'))
    printWarnings(result.circuits.flatMap(({ warnings }) => warnings))
  } else if (job.status === 'cancelled') process.stderr.write(`Job ${job.id} was cancelled\n`)
  else process.stderr.write(`Job ${job.id} failed: ${plain(job.error?.message ?? 'unknown reason')}\n`)
}

/** Prints each warning once, on standard error. */
export function printWarnings(warnings: readonly string[]): void {
  for (const warning of new Set(warnings)) process.stderr.write(`Warning: ${plain(warning)}\n`)
}

/**
 * Sets the exit status: 0 for a completed job, 4 for a failed one, 5 for a cancelled one. Warns of a result
 * that is not to be relied on, beside JSON too.
 */
export function conclude({ status, recalled, disturbedBy }: Job): void {
  printWarnings([
    ...(recalled ? [`the result was recalled: ${recalled.reason}`] : []),
    ...(disturbedBy ? [`a calibration ran on the QPU while the job did: report ${disturbedBy}`] : []),
  ])
  if (status === 'failed') process.exitCode = FAILED
  if (status === 'cancelled') process.exitCode = CANCELLED
}

/** The results of a completed job. */
export function resultOf({ id, raw }: Job): Result {
  return new Result(id, raw.results as ConstructorParameters<typeof Result>[1])
}
