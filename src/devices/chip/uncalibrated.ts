import type { Edge, Element, Qubit } from './elements/element.ts'
import type { Provenance } from './provenance/provenance.ts'

/** What a value is needed for: gates, the signals of a readout, or the bits that these become. */
export type UncalibratedUse = 'gates' | 'readout' | 'bits'

/** A value that was never calibrated, or that a check found stale. */
export interface UncalibratedValue {
  use: UncalibratedUse
  /** `clock_freqs.f01 is not set`. */
  reason: string
}

/** Values of an element that are named. */
const MAX_STALE = 20

/**
 * What an element lacks for its gates and its readout: the values that the device file does not set, and
 * those that are still the placeholder of a new element, an amplitude of 0 or a discriminator of zeros. Who
 * measured a value does not matter. Settings with a default, such as the length of a pulse, may be left out.
 */
export function uncalibratedOf(element: Element): UncalibratedValue[] {
  const needs = element.kind === 'qubit' ? needsOfQubit(element) : needsOfEdge(element)
  return needs.flatMap(({ use, path }) => {
    const reason = reasonOf(element, path)
    return reason === undefined ? [] : [{ use, reason }]
  })
}

/** The values of an element that a check found stale, as far as jobs use them. */
export function staleValuesOf(element: Element, provenance: Provenance): UncalibratedValue[] {
  return markedOf(element, provenance).map(({ use, path, mark: { routine, at } }) => ({
    use,
    reason: `${path} was found stale by ${routine} at ${at}`,
  }))
}

/**
 * The values for which nothing of an element may be used until a check passes: a full calibration found them
 * far off at its end, and knows no better ones.
 */
export function unusableValuesOf(element: Element, provenance: Provenance): UncalibratedValue[] {
  return markedOf(element, provenance)
    .filter(({ mark }) => mark.unusable === true)
    .map(({ use, path, mark: { routine, at } }) => ({
      use,
      reason: `${path} was not verified by ${routine} at ${at}`,
    }))
}

function markedOf(element: Element, provenance: Provenance) {
  const found = [...element.values].flatMap(([path, value]) => {
    const use = useOf(element, path)
    const mark = use && provenance.staleOf(element.name, path, value)
    return mark ? [{ use, path, mark }] : []
  })
  return found.slice(0, MAX_STALE)
}

/** What a job uses a value for; undefined for one that no job uses. */
function useOf({ kind }: Element, path: string): UncalibratedUse | undefined {
  if (kind === 'edge') return /^(cz|bias)\.|^clock_freqs\.cz$/.test(path) ? 'gates' : undefined
  if (/^measure(_2state)?\.acq_(rotation|threshold)$/.test(path)) return 'bits'
  if (/^measure(_2state)?\.|^clock_freqs\.readout$/.test(path)) return 'readout'
  return /^rxy\.|^clock_freqs\.f01$/.test(path) ? 'gates' : undefined
}

/** Whether bits are read at the point that separates two states best. */
function hasTwoStatePoint({ get }: Qubit): boolean {
  return get('measure_2state.acq_rotation') !== undefined && get('measure_2state.acq_threshold') !== undefined
}

interface Need {
  use: UncalibratedUse
  path: string
}

function needsOfQubit(qubit: Qubit): Need[] {
  const point = hasTwoStatePoint(qubit) ? 'measure_2state' : 'measure'
  const isOwn = (key: 'frequency' | 'pulse_amp') =>
    point === 'measure_2state' && qubit.get(`measure_2state.${key}`) !== undefined
  return [
    ...['rxy.amp180', 'rxy.duration', 'clock_freqs.f01'].map((path): Need => ({ use: 'gates', path })),
    ...[
      isOwn('frequency') ? 'measure_2state.frequency' : 'clock_freqs.readout',
      isOwn('pulse_amp') ? 'measure_2state.pulse_amp' : 'measure.pulse_amp',
      'measure.pulse_duration',
      'measure.integration_time',
    ].map((path): Need => ({ use: 'readout', path })),
    { use: 'bits', path: point },
  ]
}

function needsOfEdge({ className }: Edge): Need[] {
  const tone = className === 'FluxTunableCoupler' ? ['clock_freqs.cz'] : []
  return [...tone, 'cz.square_amp', 'cz.square_duration'].map((path) => ({ use: 'gates', path }))
}

/** Settings that have a meaning without a measurement, so that a file may leave them out. */
const HAVE_DEFAULTS = new Set(['rxy.duration', 'measure.pulse_duration', 'measure.integration_time'])

/** Why a value is not calibrated; undefined for one that is. A submodule stands for its discriminator. */
function reasonOf({ values }: Element, path: string): string | undefined {
  if (!path.includes('.')) {
    const [rotation, threshold] = [`${path}.acq_rotation`, `${path}.acq_threshold`]
    const isUnset = (values.get(rotation) ?? 0) === 0 && (values.get(threshold) ?? 0) === 0
    return isUnset ? `${rotation} and ${threshold} are 0` : undefined
  }
  const value = values.get(path)
  if (value === undefined) return HAVE_DEFAULTS.has(path) ? undefined : `${path} is not set`
  return value === 0 ? `${path} is 0` : undefined
}
