import { createHash } from 'node:crypto'
import { createRng } from '../../../simulator/index.ts'
import type { Job } from '../../define-device.ts'
import { OptionValueError } from '../../options.ts'

/** Faults that the mock device can inject. */
export const FAULTS = [
  'none',
  'error',
  'crash',
  'hang',
  'init',
  'garbage',
  'miscount',
  'slow_result',
] as const
export type Fault = (typeof FAULTS)[number]

/** Seconds from `min` to `max`. */
export interface Latency {
  min: number
  max: number
}

/** Selects the jobs that fail, and how they fail. */
interface FaultPlan {
  /** The fault; `error` when only a selector below is set. */
  fail: Fault
  /** Share of jobs that fail, 0 to 1. */
  failRate?: number | undefined
  /** Every n-th job fails, counted since the device was created. */
  failEvery?: number | undefined
  /** Jobs with this text in a circuit fail. */
  failOn?: string | undefined
}

/** Reads `2` or `0.5:2` as seconds. */
export function readLatency(text: string): Latency {
  const parts = text.split(':').map((part) => (/^\d+(\.\d+)?$/.test(part.trim()) ? Number(part) : Number.NaN))
  const [min = Number.NaN, max = min] = parts
  if (parts.length > 2 || !(min >= 0 && max >= min)) {
    throw new OptionValueError(`"${text}" is not a time; write seconds such as 2, or a range such as 0.5:2`)
  }
  return { min, max }
}

/** A 48-bit hash of `text`. */
export function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}

/** The fault of the `count`-th job (from 1) of a device. */
export function pickFault(plan: FaultPlan, job: Job, count: number): Fault {
  const { failRate, failEvery, failOn } = plan
  const selects = failRate !== undefined || failEvery !== undefined || failOn !== undefined
  if (!selects) return plan.fail
  const draw = createRng(hashOf(`${job.id}.${job.attempt}`)).next()
  const isSelected =
    draw < (failRate ?? 0) ||
    (failEvery !== undefined && count % failEvery === 0) ||
    (failOn !== undefined && job.payload.circuits.some(({ circuit }) => circuit.includes(failOn)))
  if (!isSelected) return 'none'
  return plan.fail === 'none' ? 'error' : plan.fail
}

/** Settings of a single job, from a comment such as `// svc-mock: fail=crash latency=2 attempts=1`. */
interface Pragma {
  fail?: Fault
  latency?: Latency
  /** Number of attempts, from the first on, in which the fault occurs. */
  attempts?: number
}

/**
 * The first pragma in a job; unknown words are ignored.
 * @throws OptionValueError when a latency cannot be read.
 */
export function readPragma(job: Job): Pragma {
  for (const { circuit } of job.payload.circuits) {
    const line = /\/\/\s*svc-mock:([^\n]*)/.exec(circuit)?.[1]
    if (line !== undefined) return pragmaOf(line)
  }
  return {}
}

function pragmaOf(line: string): Pragma {
  const words = new Map(
    line
      .trim()
      .split(/\s+/)
      .map((word): [string, string] => {
        const [key = '', value = ''] = word.split('=')
        return [key, value]
      }),
  )
  const fail = FAULTS.find((fault) => fault === words.get('fail'))
  const latency = words.get('latency')
  const attempts = words.get('attempts')
  return {
    ...(fail !== undefined && { fail }),
    ...(latency !== undefined && { latency: readLatency(latency) }),
    ...(attempts !== undefined && { attempts: Number(attempts) }),
  }
}
