import type { Job } from '../../api/model/jobs.ts'
import {
  type AssignmentError,
  assignmentErrors,
  betweenClouds,
  betweenPrepared,
  type Discriminator,
  overlapError,
  type Points,
  projectPoints,
} from './discriminate.ts'

/** Points of one side: `state` 0 or 1, prepared or assigned. */
export interface Cloud extends Points {
  label: string
  state: 0 | 1
}

/** The shots of one bit as a page shows them. */
export interface Readout {
  clouds: readonly Cloud[]
  /** Positions of the clouds on the axis between the states; none without a line. */
  lists: readonly { label: string; state: 0 | 1; values: Float64Array }[]
  line: Discriminator | undefined
  /** Where the line comes from, in words. */
  source: string
  /** By the preparation; undefined if that is not known. */
  errors: AssignmentError | undefined
  /** The error that follows from the overlap of two normal clouds. */
  overlap: number | undefined
}

interface ReadoutInputs {
  /** The shots of the shown circuit. */
  shown: Points
  /** The shots of all circuits that prepare 0, and of those that prepare 1. */
  prepared: readonly [zero: Points, one: Points]
  /** The discriminator that the job names. */
  own: Discriminator | undefined
  by: 'prepared' | 'assigned'
}

/** Sorts the shots of a bit by their preparation or by the side of the threshold on which they are. */
export function readOut({ shown, prepared: [zero, one], own, by }: ReadoutInputs): Readout {
  const { line, source, isOriented } = lineOf(shown, zero, one, own)
  const isKnown = zero.re.length + one.re.length > 0
  const clouds: Cloud[] =
    by === 'prepared' && isKnown
      ? [
          { ...zero, label: 'prepared as 0', state: 0 },
          { ...one, label: 'prepared as 1', state: 1 },
        ]
      : sidesOf(shown, line, isOriented)
  const drawn = clouds.filter(({ re }) => re.length > 0)
  if (!line) return { clouds: drawn, lists: [], line, source, errors: undefined, overlap: undefined }
  const [below, above] = sidesOf(isKnown ? joinPoints([zero, one]) : shown, line, isOriented).map((side) =>
    projectPoints(side, line),
  )
  return {
    clouds: drawn,
    lists: drawn.map(({ label, state, ...points }) => ({
      label,
      state,
      values: projectPoints(points, line),
    })),
    line,
    source,
    errors:
      isKnown && isOriented
        ? assignmentErrors(projectPoints(zero, line), projectPoints(one, line), line.threshold)
        : undefined,
    overlap: below && above && overlapError(below, above),
  }
}

/**
 * The discriminator that a job names, for the points of one of its circuits; of a part of it, the rest is
 * that of the device. It is for signals in a unit: a simulator, whose points have none, does not read it.
 */
export function ownDiscriminator(
  { payload, results }: Pick<Job, 'payload' | 'results'>,
  circuit: number,
): Discriminator | undefined {
  const { acq_rotation: rotation, acq_threshold: threshold } = payload ?? {}
  const isMeasured = Boolean(results?.circuit_results?.[circuit]?.metadata?.memory_unit)
  if (!isMeasured || typeof rotation !== 'number' || typeof threshold !== 'number') return undefined
  return { rotation, threshold }
}

interface Line {
  line: Discriminator | undefined
  source: string
  /** Whether it is known which side is 0. */
  isOriented: boolean
}

function lineOf(shown: Points, zero: Points, one: Points, own: Discriminator | undefined): Line {
  if (own) return { line: own, source: 'acq_rotation and acq_threshold of the job', isOriented: true }
  const prepared = betweenPrepared(zero, one)
  if (prepared)
    return { line: prepared, source: 'halfway between the means of both preparations', isOriented: true }
  const line = betweenClouds(shown)
  const source = line ? 'estimated from the points, halfway between two clouds' : ''
  return { line, source, isOriented: false }
}

function sidesOf(points: Points, line: Discriminator | undefined, isOriented: boolean): Cloud[] {
  if (!line) return [{ ...points, label: '', state: 0 }]
  const isAbove = projectPoints(points, line).map((value) => (value > line.threshold ? 1 : 0))
  return ([0, 1] as const).map((state) => ({
    re: points.re.filter((_, shot) => isAbove[shot] === state),
    im: points.im.filter((_, shot) => isAbove[shot] === state),
    label: isOriented ? `read as ${state}` : `${state === 0 ? 'below' : 'above'} the threshold`,
    state,
  }))
}

/** All points of several lists. */
export function joinPoints(lists: readonly Points[]): Points {
  const join = (parts: readonly Float64Array[]) => Float64Array.from(parts.flatMap((part) => [...part]))
  return { re: join(lists.map(({ re }) => re)), im: join(lists.map(({ im }) => im)) }
}
