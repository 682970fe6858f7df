import * as v from 'valibot'
import { isObject } from '../../base/index.ts'
import { eventAck, resultId, runCalibration, runJob, stopCalibration, stopJob } from '../../protocol/index.ts'

/** The part of each command that the driver reads; only the device process reads the rest. */
const heads = {
  RunJob: v.pipe(
    v.omit(runJob, ['payload', 'labels', 'expected', 'knows_progress']),
    v.transform((head) => ({ kind: 'job' as const, ...head })),
  ),
  RunCalibration: v.pipe(
    v.omit(runCalibration, ['mode', 'target_qubits']),
    v.transform((head) => ({ kind: 'calibration' as const, ...head })),
  ),
  StopJob: v.pipe(
    stopJob,
    v.transform(({ job, attempt }) => ({ kind: 'stop' as const, id: resultId(job, attempt) })),
  ),
  StopCalibration: v.pipe(
    stopCalibration,
    v.transform(({ run_id }) => ({ kind: 'stop' as const, id: run_id })),
  ),
  EventAck: v.pipe(
    eventAck,
    v.transform((head) => ({ kind: 'ack' as const, ...head })),
  ),
}
type ReadType = keyof typeof heads

/** The head of a command; `other`: one that only the device process knows. */
export type CommandHead = v.InferOutput<(typeof heads)[ReadType]> | { kind: 'other'; type: string }

/** Reads the head of a command; undefined when the text is not a valid command. */
export function readCommandHead(text: string): CommandHead | undefined {
  const value = parseJson(text)
  if (!isObject(value) || typeof value['type'] !== 'string') return undefined
  const { type } = value
  if (!isRead(type)) return { kind: 'other', type }
  const parsed = v.safeParse<(typeof heads)[ReadType]>(heads[type], value)
  return parsed.success ? parsed.output : undefined
}

function isRead(type: string): type is ReadType {
  return Object.hasOwn(heads, type)
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
