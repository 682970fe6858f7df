import { type PartQuality, type QualityCondition, shortfallsOf } from '../../protocol/index.ts'
import type { Edge, Element, Qubit } from './elements/element.ts'
import type { Provenance } from './provenance/provenance.ts'
import { DISCRIMINATORS, readoutBasis } from './readout-unit.ts'

/**
 * The quality of a qubit by its assignment matrix, or of an edge by the measured error of its gate, and when
 * the newest of its values in use was measured. What is not known is absent.
 */
export function qualityOf(element: Element, provenance: Provenance): PartQuality {
  const at = calibratedAt(element, provenance)
  return {
    ...(element.kind === 'qubit' ? readoutOf(element, provenance) : gateOf(element, provenance)),
    ...(at !== undefined && { calibrated_at: at }),
  }
}

/** Nothing is known of a readout whose discriminator is stale, or whose point a person has moved. */
function readoutOf(qubit: Qubit, provenance: Provenance): PartQuality {
  const { name, values } = qubit
  const valueAt = (path: string) => values.get(path)
  const isOff =
    DISCRIMINATORS.some((path) => provenance.staleOf(name, path, valueAt(path)) !== undefined) ||
    readoutBasis(valueAt).some((path) => provenance.isChangedByHand(name, path, valueAt(path)))
  if (isOff) return {}
  const assignment = qubit.get('measure_2state.assignment')
  const [[, one = 0] = [], [zero = 0] = []] = assignment ?? []
  return assignment ? { readout_error: (one + zero) / 2 } : {}
}

function gateOf(edge: Edge, provenance: Provenance): PartQuality {
  const error = provenance.gateErrorOf(edge)
  return error === undefined ? {} : { error }
}

function calibratedAt({ name, values }: Element, provenance: Provenance): string | undefined {
  return [...values]
    .flatMap(([path, value]) => provenance.originOf(name, path, value)?.at ?? [])
    .sort()
    .at(-1)
}

/** A condition on the parts of a chip, as its device file has them. */
export interface ChipCondition {
  condition: QualityCondition
  provenance: Provenance
  /** ms since 1970. */
  now: number
}

/** What an element lacks of a condition; empty when it meets it. */
export function shortfallsOfElement(
  element: Element,
  { condition, provenance, now }: ChipCondition,
): string[] {
  const kind = element.kind === 'qubit' ? 'qubit' : 'pair'
  return shortfallsOf(kind, qualityOf(element, provenance), condition, now)
}
