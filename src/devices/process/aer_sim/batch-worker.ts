/** A thread that runs circuits of its own: see `batch.ts`. It is an entry point of its own in the executable. */
import { systemClock } from '../../../base/index.ts'
import { JobError } from '../../errors.ts'
import type { ShareAnswer, ShareMessage } from './batch.ts'
import { executionsOf } from './executions.ts'
import { createEngine } from './methods/statevector/engine.ts'
import { NoiseReader } from './noise/read-noise.ts'
import { ShareRunner } from './run-share.ts'
import { type Report, Taking, takeShare } from './take-share.ts'

declare const self: Worker

const engine = createEngine(1)
const reader = new NoiseReader()

function answerOf(report: Report): ShareAnswer {
  const { stream } = report
  if (!('error' in report)) return { kind: 'done', ...report }
  const { error } = report
  if (error instanceof JobError)
    return { kind: 'failed', stream, message: error.message, details: error.details }
  return { kind: 'failed', stream, message: String(error), details: undefined }
}

async function help({ job, taking, ms, threads }: ShareMessage): Promise<void> {
  const deadline = systemClock.monotonic() + ms
  // A job that is cancelled ends the whole thread.
  const io = { signal: new AbortController().signal, deadline, phase: () => undefined }
  const noise = job.noise && reader.read(job.noise).model
  const parts = { noise, clock: systemClock, engine: await engine, io, threads }
  const report = (each: Report): void => self.postMessage(answerOf(each))
  await takeShare(new ShareRunner(job, parts), executionsOf(job.payload), new Taking(taking), report)
}

self.onmessage = ({ data }: MessageEvent<ShareMessage>) => void help(data)
