import * as v from 'valibot'
import type { Alarm } from '../../base/index.ts'
import { checkResults, JobError, jobFailureOf, labelBytes, type ProcessDevice } from '../../devices/index.ts'
import {
  type AttemptProvenance,
  type DeviceProvenance,
  deviceProvenance,
  JOB_LIMITS,
  type JobPayload,
  LISTED_FEATURES,
  type RunJob,
  resultId,
} from '../../protocol/index.ts'
import { readCommandHead } from '../messages/command-head.ts'
import { type Attempt, writeFailure, writeResult } from '../messages/write-event.ts'
import { DescriptionSender } from './describe.ts'
import { encodingLimit } from './encoding-limit.ts'
import { JobProgress } from './job-progress.ts'
import type { OperationIo, RunningOperation } from './operation.ts'

/**
 * Time for which a phase waits: a job that ends sooner sends none, and of many that follow each other quickly
 * the last one counts.
 */
const PHASE_DELAY_MS = 20

/** Runs a QPU: jobs one at a time, each with exactly one result. */
export function runProcess(device: ProcessDevice, io: OperationIo): RunningOperation {
  const { log, send, alarms } = io
  const description = new DescriptionSender(device, io)
  let current: { result: string; cancel: AbortController; progress: JobProgress } | undefined
  let last: Promise<void> = Promise.resolve()

  async function runJob(command: RunJob): Promise<void> {
    const result = resultId(command.job, command.attempt)
    const cancel = new AbortController()
    if (io.signal.aborted) cancel.abort(io.signal.reason)
    const { payload, labels, expected } = command
    const progress = new JobProgress(io, command, { device: io.device, payload, labels, expected })
    current = { result, cancel, progress }
    send({ kind: 'started', result })
    let phase = ''
    let due: Alarm | undefined
    const sendPhase = () => {
      due = undefined
      send({ kind: 'phase', result, phase })
    }
    const { body, code } = await execute(device, command, io, {
      progress,
      signal: cancel.signal,
      phase(name) {
        phase = name.slice(0, 100)
        due ??= alarms.set(PHASE_DELAY_MS, sendPhase)
      },
    })
    due?.clear()
    current = undefined
    // A job that the chip cannot run now waits for the next change of what is described: after its result.
    if (code === 'not_calibrated' || code === 'below_quality') await description.send()
    send({ kind: 'result', result, body })
    await description.send()
  }

  io.signal.addEventListener('abort', () => current?.cancel.abort(io.signal.reason), { once: true })

  return {
    async start() {
      await device.start?.()
      await description.send()
      // Between jobs, so that a device is asked for one thing at a time.
      void description.repeat(() => {
        last = last.then(() => description.send())
      })
    },
    onCommand(command) {
      if (command.type === 'RunJob') last = last.then(() => runJob(command))
    },
    onUnreadable(text, problem) {
      const head = readCommandHead(text)
      if (head?.kind !== 'job') {
        log.warn('invalid command', { problem })
        return
      }
      // The command is from a different version of the server, so every attempt would fail in the same way.
      const error = {
        class: 'user' as const,
        message: `job not understood: ${problem}`,
        error_code: 'invalid_payload',
      }
      const body = writeFailure(io.clock, attemptOf(head), error)
      send({ kind: 'started', result: resultId(head.job, head.attempt) })
      send({ kind: 'result', result: resultId(head.job, head.attempt), body })
    },
    cancel(result) {
      if (current?.result !== result) return
      // Now: if the device does not respond to the signal, its process is killed.
      current.progress.flush()
      current.cancel.abort(new JobError('job cancelled'))
    },
    onDetached: () => current?.progress.resend(),
    stop: async (stopIo) => device.stop?.(stopIo),
  }
}

function attemptOf({ job, attempt, epoch }: Attempt): Attempt {
  return { job, attempt, epoch }
}

/** Runs one job and returns its result event, and the code of its failure; never rejects. */
async function execute(
  device: ProcessDevice,
  command: RunJob,
  io: OperationIo,
  { progress, ...control }: { progress: JobProgress; signal: AbortSignal; phase(name: string): void },
): Promise<{ body: string; code?: string | undefined }> {
  const { clock, log, device: name, jobTimeoutMs } = io
  const attempt = attemptOf(command)
  const startedAt = clock.monotonic()
  const elapsed = () => Math.max(0, Math.round(clock.monotonic() - startedAt))
  let known: DeviceProvenance = {}
  const end = () => ({ ...attempt, provenance: provenanceOf(io, known) })
  const limitMs = command.limit_ms > 0 ? Math.min(command.limit_ms, jobTimeoutMs) : jobTimeoutMs
  try {
    const { payload, labels, expected } = command
    const job = { id: command.job, attempt: command.attempt, payload }
    const deadline = startedAt + limitMs
    const resultBytes = JOB_LIMITS.resultBytes - labelBytes(payload, labels)
    await assertFeatures(device, name, payload)
    const ranWith = (found: DeviceProvenance) => {
      const parsed = v.safeParse(deviceProvenance, found)
      if (parsed.success) known = parsed.output
      else log.warn('the device reports no valid provenance', { problem: parsed.issues[0].message })
    }
    const returned = await device.run(job, {
      ...control,
      deadline,
      resultBytes,
      ranWith,
      progress: (part) => progress.set(part),
      result: (index, result) => progress.add(index, result),
    })
    const checkpoint = encodingLimit({ clock, startedAt, deadline, phase: control.phase })
    const results = checkResults(returned, { device: name, payload, labels, expected }, checkpoint)
    progress.end('completed')
    return { body: writeResult(clock, { status: 'completed', ...end(), execution_ms: elapsed(), results }) }
  } catch (error) {
    progress.end('failed')
    const { failure, executed } = jobFailureOf(error)
    if (error instanceof JobError) log.info('job failed', { job: attempt.job, error: error.message })
    else log.error('job execution failed', { job: attempt.job, error })
    const { detail, ...others } = failure
    // A server that says what it expects also knows the detail of a failure.
    const sent = command.expected && detail !== undefined ? failure : others
    return { body: writeFailure(clock, end(), sent, executed ? elapsed() : 0), code: failure.error_code }
  }
}

/** What the driver and its device know of an attempt. */
function provenanceOf(
  { device: name, version, deviceVersion }: OperationIo,
  { compiler, ...files }: DeviceProvenance,
): AttemptProvenance {
  const own = deviceVersion === undefined ? {} : { version: deviceVersion }
  return {
    device: { name, ...own },
    driver: { version },
    ...files,
    ...(compiler && { compiler: { ...own, ...compiler } }),
  }
}

/**
 * @throws JobError unless the device lists the features of the job's options that it would leave out in
 *   silence if it did not know them.
 */
async function assertFeatures(device: ProcessDevice, name: string, payload: JobPayload): Promise<void> {
  const { exact = false, dynamical_decoupling: sequence = 'none', precision } = payload
  const isAsked = {
    exact,
    dynamical_decoupling: sequence !== 'none',
    single_precision: precision === 'single',
    quality_condition: payload.require !== undefined,
    scheduling: payload.scheduling !== undefined,
  }
  const asked = LISTED_FEATURES.filter((feature) => isAsked[feature])
  if (asked.length === 0) return
  const listed = (await device.describe?.())?.features ?? []
  const missing = asked.find((feature) => !listed.includes(feature))
  if (missing === undefined) return
  throw new JobError(`${name} does not support ${missing}; leave it out`, {
    errorCode: 'unsupported_feature',
  })
}
