import * as v from 'valibot'
import { describeBytes, newId } from '../../base/index.ts'
import {
  type CalibrateDevice,
  CalibrationError,
  type CalibrationRequest,
  calibrationFailureOf,
} from '../../devices/index.ts'
import {
  CALIBRATION_LIMITS,
  type CalibrationFindings,
  calibrationFindings,
  calibrationStep,
  type EventPayload,
} from '../../protocol/index.ts'
import { readCommandHead } from '../messages/command-head.ts'
import { writeFailedReport, writeReport } from '../messages/write-event.ts'
import { emitEvent } from './emit.ts'
import type { OperationIo, RunningOperation } from './operation.ts'

/** How long a run that is stopped may take to restore currents and to report. */
const STOP_SECONDS = 20

/** One run, requested by the server or by the tuner itself. */
interface Run {
  request: CalibrationRequest
  stop: AbortController
}

/**
 * Runs a tuner: calibrations one at a time, each with exactly one report. A requested calibration waits until
 * the tuner has finished its own.
 */
export function runCalibrate(device: CalibrateDevice, io: OperationIo): RunningOperation {
  const { log, send, clock } = io
  /** By run id; the first one is running. */
  const runs = new Map<string, Run>()
  let last: Promise<unknown> = Promise.resolve()
  io.signal.addEventListener('abort', () => {
    for (const { stop } of runs.values()) stop.abort(driverStopped())
  })
  /** Whether the server knows reports of status `aborted`. */
  let knowsAborted = false
  /** The server is connected and the QPU is not in maintenance, so the tuner may start a run on its own. */
  let mayStart = false

  /** Whether the server lets a run of the tuner's own begin when the QPU runs no job. */
  let beginsRuns = false
  /** Resolve when the run of this id may begin. */
  const waiting = new Map<string, () => void>()

  /** Resolves when the server lets a run begin, and when it is stopped. */
  function mayBegin({ request: { runId }, stop: { signal } }: Run): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.set(runId, resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    return promise.then(() => void waiting.delete(runId))
  }

  /** Runs a calibration after the previous ones and passes its report on; `waits`: when it may begin. */
  function enqueue(request: CalibrationRequest, report: (body: string) => void, waits = false) {
    const run: Run = { request, stop: new AbortController() }
    runs.set(request.runId, run)
    const begin = waits ? mayBegin(run) : undefined
    if (io.signal.aborted) run.stop.abort(driverStopped())
    const start = () => execute(device, run, { ...io, knowsAborted })
    const end = last.then(() => (begin === undefined ? start() : begin.then(start)))
    last = end.then(({ body }) => {
      runs.delete(request.runId)
      report(body)
    })
    return end
  }

  async function calibrateNow({ mode, targetQubits = [] }: Parameters<TunerCalibrate>[0]) {
    if (runs.size > 0 || !mayStart || io.signal.aborted) return undefined
    const runId = newId(clock.now())
    const waits = beginsRuns
    send({ kind: 'own_run', run: runId, mode, waits })
    const report = (body: string) => send({ kind: 'event', type: 'CalibrationReport', id: runId, body })
    const { findings } = await enqueue({ runId, id: null, mode, targetQubits }, report, waits)
    return findings
  }

  return {
    start: () =>
      device.start({
        emit: (type, payload) => emitEvent(io, type, payload),
        signal: io.signal,
        calibrateNow,
      }),
    onCommand(command) {
      if (command.type === 'SetMaintenance') {
        mayStart = !command.on
        knowsAborted = command.knows_aborted === true
        beginsRuns = command.begins_runs === true
        // A server of an earlier release never says it.
        if (!beginsRuns) for (const begin of waiting.values()) begin()
        device.maintenance?.(command.on)
      }
      if (command.type === 'BeginCalibration') waiting.get(command.run_id)?.()
      if (command.type !== 'RunCalibration') return
      const { run_id: runId, request_id: id, mode, target_qubits: targetQubits, resume } = command
      send({ kind: 'started', result: runId })
      const request = { runId, id, mode, targetQubits, ...(resume !== undefined && { resume }) }
      void enqueue(request, (body) => send({ kind: 'result', result: runId, body }))
    },
    onUnreadable(text, problem) {
      const head = readCommandHead(text)
      if (head?.kind !== 'calibration') {
        log.warn('invalid command', { problem })
        return
      }
      // The command is from a different version of the server.
      const body = writeFailedReport(clock, head, `calibration not understood: ${problem}`, 0)
      send({ kind: 'started', result: head.run_id })
      send({ kind: 'result', result: head.run_id, body })
    },
    cancel(result) {
      runs.get(result)?.stop.abort(new CalibrationError('calibration stopped'))
    },
    onDetached() {
      // The server sends the state of maintenance after each attach.
      mayStart = false
    },
    async stop(stopIo) {
      if (runs.size > 0) stopIo.extend(STOP_SECONDS, 'the running calibration ends')
      await Promise.all([device.stop?.(stopIo), last])
    },
  }
}

function driverStopped(): CalibrationError {
  return new CalibrationError('the driver was stopped')
}

type TunerCalibrate = Parameters<CalibrateDevice['start']>[0]['calibrateNow']

/** Runs one calibration and returns its report event; never rejects. */
async function execute(
  device: CalibrateDevice,
  { request, stop }: Run,
  io: OperationIo & { knowsAborted: boolean },
): Promise<{ body: string; findings: CalibrationFindings | undefined }> {
  const { clock, log, knowsAborted } = io
  const { signal } = stop
  const { runId: run_id, id: request_id, mode } = request
  const startedAt = clock.monotonic()
  const started_at = new Date(clock.now()).toISOString()
  try {
    signal.throwIfAborted()
    const progress = progressReporter(request, io)
    const found = await device.calibrate(request, { signal, progress })
    const findings = checkFindings(found)
    const ended_at = new Date(clock.now()).toISOString()
    const status = findings.status === 'aborted' && !knowsAborted ? 'failed' : findings.status
    const body = fitting(io, { run_id, request_id, mode, started_at, ended_at, ...findings, status })
    return { body, findings }
  } catch (error) {
    const message = calibrationFailureOf(error)
    if (error instanceof CalibrationError) log.info('calibration failed', { run: run_id, error: message })
    else log.error('calibration failed', { run: run_id, error })
    const executionMs = Math.max(0, Math.round(clock.monotonic() - startedAt))
    const status = signal.aborted && knowsAborted ? 'aborted' : 'failed'
    const body = writeFailedReport(clock, { run_id, request_id, mode, status }, message, executionMs)
    return { body, findings: undefined }
  }
}

/**
 * Reports the steps of a run. An invalid step is dropped and its field logged, once per field: it must not
 * end a calibration of hours.
 */
function progressReporter({ runId: run_id, id: request_id }: CalibrationRequest, io: OperationIo) {
  const logged = new Set<string>()
  return (step: unknown): void => {
    const parsed = v.safeParse(calibrationStep, step)
    if (parsed.success) {
      emitEvent(io, 'CalibrationProgress', { run_id, request_id, ...parsed.output })
      return
    }
    const [issue] = parsed.issues
    const field = v.getDotPath(issue) ?? ''
    if (logged.has(field)) return
    logged.add(field)
    io.log.warn('progress step is invalid and is dropped', { run: run_id, field, reason: issue.message })
  }
}

/** @throws CalibrationError that names the invalid part of the findings. */
export function checkFindings(found: unknown) {
  const parsed = v.safeParse(calibrationFindings, found)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const path = v.getDotPath(issue)
  const where = path === null ? '' : `${path}: `
  throw new CalibrationError(`the device reported invalid findings: ${where}${issue.message}`)
}

/**
 * The report event, within the size limit of the server: a report that is too large loses its largest traces.
 * @throws CalibrationError when it is too large without any trace, too.
 */
function fitting({ clock, log }: OperationIo, report: EventPayload<'CalibrationReport'>): string {
  const whole = writeReport(clock, report)
  if (fits(whole)) return whole
  const bytes = Buffer.byteLength(whole)
  const dropped = largestTraces(report, bytes - CALIBRATION_LIMITS.reportBytes)
  log.warn('report is too large; its largest traces are dropped', {
    run: report.run_id,
    bytes,
    limit: CALIBRATION_LIMITS.reportBytes,
    dropped: dropped.size,
  })
  const body = writeReport(clock, {
    ...report,
    routines: report.routines.map((each) => (dropped.has(each) ? { ...each, fit: DROPPED } : each)),
    benchmarks: report.benchmarks.map((each) => (dropped.has(each) ? { ...each, raw_data: DROPPED } : each)),
  })
  if (fits(body)) return body
  const limit = describeBytes(CALIBRATION_LIMITS.reportBytes)
  throw new CalibrationError(`the report is larger than ${limit} even without its traces`)
}

const DROPPED = { dropped: true }

/** The results with the largest traces, as many as save `excess` bytes. */
function largestTraces(report: EventPayload<'CalibrationReport'>, excess: number): Set<object> {
  const placeholder = Buffer.byteLength(JSON.stringify(DROPPED))
  const traces = [
    ...report.routines.map((each) => ({ each, trace: each.fit })),
    ...report.benchmarks.map((each) => ({ each, trace: each.raw_data })),
  ].flatMap(({ each, trace }) =>
    trace === undefined ? [] : [{ each, saved: Buffer.byteLength(JSON.stringify(trace)) - placeholder }],
  )
  const dropped = new Set<object>()
  let saved = 0
  for (const trace of traces.sort((one, other) => other.saved - one.saved)) {
    if (saved >= excess) break
    dropped.add(trace.each)
    saved += trace.saved
  }
  return dropped
}

function fits(body: string): boolean {
  return Buffer.byteLength(body) <= CALIBRATION_LIMITS.reportBytes
}
