import type { Chip } from '../device-file.ts'
import type { Element } from '../elements/element.ts'
import type { Provenance } from './provenance.ts'

/** What a calibration knew before it started, and what it runs. */
interface PriorValuesInput {
  chip: Chip
  provenance: Provenance
  /** Names of the elements that the calibration is about. */
  targets: readonly string[]
  /** Routines that find a path; a path that none finds is never reported. */
  producersOf(path: string): readonly string[]
  /** Whether a routine runs on a target. */
  runsOn(routine: string, target: string): boolean
}

/**
 * A line for each target with values of which no measurement is on record: typed by hand, measured without a
 * provenance file, or measured once and changed since.
 * Apart, those that this calibration does not measure either. Only parameters that the element has count.
 */
export function notesOnPriorValues({
  chip,
  provenance,
  targets,
  producersOf,
  runsOn,
}: PriorValuesInput): string[] {
  return targets.flatMap((target) => {
    const element = chip.element(target)
    if (!element) return []
    const priors = priorPathsOf(element, provenance).filter(({ path }) => producersOf(path).length > 0)
    const isRunning = ({ path }: PriorValue) => producersOf(path).some((routine) => runsOn(routine, target))
    const measuredNow = priors.filter(isRunning)
    const never = priors.filter((each) => !isRunning(each))
    return [
      ...(measuredNow.length > 0
        ? [`${target}: no measurement on record before this run: ${list(measuredNow)}`]
        : []),
      ...(never.length > 0
        ? [`${target}: no measurement on record, and none by this run either: ${list(never)}`]
        : []),
    ]
  })
}

interface PriorValue {
  path: string
  isChangedByHand: boolean
}

/** The parameters that an element has and whose value was not measured. */
export function priorPathsOf(element: Element, provenance: Provenance): readonly PriorValue[] {
  return element.paths
    .filter((path) => element.has(path) && !isSpare(element, path))
    .flatMap((path) => {
      const value = element.values.get(path)
      if (provenance.originOf(element.name, path, value)) return []
      return [{ path, isChangedByHand: provenance.isChangedByHand(element.name, path, value) }]
    })
}

/** Whether a discriminator has one beside it that is used in its place. */
function isSpare(element: Element, path: string): boolean {
  const [, key] = /^measure\.(acq_rotation|acq_threshold)$/.exec(path) ?? []
  return key !== undefined && element.has(`measure_2state.${key}`)
}

function list(values: readonly PriorValue[]): string {
  return values
    .map(({ path, isChangedByHand }) => (isChangedByHand ? `${path} (changed by hand)` : path))
    .join(', ')
}
