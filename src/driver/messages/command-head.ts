import * as v from 'valibot'
import { eventAck, resultId, runCalibration, runJob, stopCalibration, stopJob } from '../../protocol/index.ts'

const OWN = ['RunJob', 'StopJob', 'RunCalibration', 'StopCalibration', 'EventAck']

/** The part of a command that the driver reads; only the device process reads the rest. */
const commandHead = v.union([
  v.pipe(
    v.omit(runJob, ['payload', 'labels']),
    v.transform((head) => ({ kind: 'job' as const, ...head })),
  ),
  v.pipe(
    v.omit(runCalibration, ['mode', 'target_qubits']),
    v.transform((head) => ({ kind: 'calibration' as const, ...head })),
  ),
  v.pipe(
    stopJob,
    v.transform(({ job, attempt }) => ({ kind: 'stop' as const, id: resultId(job, attempt) })),
  ),
  v.pipe(
    stopCalibration,
    v.transform(({ run_id }) => ({ kind: 'stop' as const, id: run_id })),
  ),
  v.pipe(
    eventAck,
    v.transform((head) => ({ kind: 'ack' as const, ...head })),
  ),
  v.pipe(
    v.object({ type: v.pipe(v.string(), v.notValues(OWN)) }),
    v.transform((head) => ({ kind: 'other' as const, ...head })),
  ),
])
export type CommandHead = v.InferOutput<typeof commandHead>

/** Reads the head of a command; undefined when the text is not a valid command. */
export function readCommandHead(text: string): CommandHead | undefined {
  const parsed = v.safeParse(commandHead, parseJson(text))
  return parsed.success ? parsed.output : undefined
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
