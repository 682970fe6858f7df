import * as v from 'valibot'
import { describeBytes } from '../../../base/index.ts'
import type { JsonText } from '../../../db/index.ts'
import { deviceDescription } from '../../../protocol/index.ts'
import type { JobExtents } from '../../programs/messages.ts'

const { limits } = deviceDescription.pipe[0].entries
const described = v.object({ limits })
type Limits = NonNullable<v.InferOutput<typeof described>['limits']>

/** Why a device cannot run a job, whatever its calibration. */
export interface BeyondLimit {
  path: string
  code: string
  /** Part of a sentence. */
  reason: string
  remedy: string
  params: Record<string, number>
}

/** Limits by their description: one that is kept in memory is parsed once. */
const known = new WeakMap<JsonText, Limits>()

function limitsOf(description: JsonText): Limits {
  const found = known.get(description)
  if (found) return found
  // Descriptions are long, and those of earlier drivers have no such limits.
  const isStated = description.text.includes('"job_timeout_s":')
  const { success, output } = v.safeParse(described, isStated ? description.value : {})
  const read = (success && output.limits) || {}
  known.set(description, read)
  return read
}

const seconds = (value: number) => `${Number(value.toPrecision(10))} s`

/** What is said of each kind: what the job does, what the device does, and the remedy. */
const TEXTS = {
  schedule_s: ['takes at least', 'plays shots of at most', seconds, 'Shorten its waits.'],
  acquisitions: ['measures in a shot', 'measures at most', String, 'Measure less often.'],
  pulses: [
    'plays in a shot, at optimization_level 0, at least',
    'plays at most',
    (count: number) => `${count} pulses`,
    'Use fewer gates.',
  ],
  branches: ['has', 'allows', (count: number) => `${count} conditions on outcomes`, 'Use fewer of them.'],
  result_bytes: ['returns up to', 'returns at most', describeBytes, 'Ask for fewer shots, or no memory.'],
} as const

const CODES = {
  schedule_s: 'schedule_too_long',
  acquisitions: 'too_many_acquisitions',
  pulses: 'too_many_pulses',
  branches: 'too_many_branches',
  result_bytes: 'results_too_large',
} as const

/** The limits of a device that a job passes, with the line that does; none without a description. */
export function beyondLimits(
  description: JsonText | null,
  name: string,
  extents: JobExtents | undefined,
): BeyondLimit[] {
  if (!extents || !description) return []
  const limits = limitsOf(description)
  const passed = extents.most.flatMap(({ kind, needed, path, line }): BeyondLimit[] => {
    const max = limits[kind]
    if (max === undefined || needed <= max) return []
    const [takes, gives, format, remedy] = TEXTS[kind]
    const where = line > 0 ? ` (line ${line})` : ''
    const reason = `the program ${takes} ${format(needed)}${where}; ${name} ${gives} ${format(max)}`
    return [{ path, code: CODES[kind], reason, remedy, params: { max, needed, ...(line > 0 && { line }) } }]
  })
  return [...passed, ...beyondTime(limits, name, extents)]
}

/** Jobs are judged by their time where a device says how long a shot takes at least. */
function beyondTime(
  { job_timeout_s: max, shot_s: shot }: Limits,
  name: string,
  { shots, seconds: inShots }: JobExtents,
): BeyondLimit[] {
  if (max === undefined || shot === undefined) return []
  const needed = shots * shot + inShots
  if (needed <= max) return []
  const reason = `the job takes at least ${seconds(needed)} for its ${shots} shots; the driver of ${name} gives a job ${seconds(max)} (job_timeout)`
  const remedy = 'Ask for fewer shots or circuits, or split the job.'
  return [{ path: 'circuits', code: 'job_too_long', reason, remedy, params: { max, needed } }]
}
