import * as v from 'valibot'
import { eventAck, runJob, stopJob } from '../protocol/index.ts'

const runJobHead = v.omit(runJob, ['payload'])
const otherHead = v.object({ type: v.pipe(v.string(), v.notValues(['RunJob', 'EventAck', 'StopJob'])) })

/** What the driver itself reads of a command; the payload of a job is for the device process only. */
const commandHead = v.union([runJobHead, stopJob, eventAck, otherHead])
export type CommandHead =
  | ({ kind: 'run' } & v.InferOutput<typeof runJobHead>)
  | ({ kind: 'stop' } & v.InferOutput<typeof stopJob>)
  | ({ kind: 'ack' } & v.InferOutput<typeof eventAck>)
  | { kind: 'other'; type: string }

/** Reads the head of a command; undefined when the text is not one. */
export function readCommandHead(text: string): CommandHead | undefined {
  const parsed = v.safeParse(commandHead, parseJson(text))
  if (!parsed.success) return undefined
  const head = parsed.output
  if ('limit_ms' in head) return { kind: 'run', ...head }
  if ('attempt' in head) return { kind: 'stop', ...head }
  if ('event' in head) return { kind: 'ack', ...head }
  return { kind: 'other', type: head.type }
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
