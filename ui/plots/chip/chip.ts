import type { CalibrationValue, Description } from '../../api/model/qpus/chip.ts'
import { type Metric, metricOf, type RawMetric, unitScale } from './metric.ts'
import type { Point } from './point.ts'

/** A value of a qubit or a coupler, in the unit of its metric. */
export interface Reading {
  value: number
  /** Standard error; null = not known. */
  error: number | null
  /** When it was measured, UTC text; empty for values of the device. */
  at: string
  /** The routine that measured it; empty for values of the device. */
  routine: string
  /** Element and parameter as in the history; empty for values of the device. */
  element: string
  parameter: string
}

/** A qubit or a coupler of a chip. */
export interface Element {
  name: string
  /** One qubit, or the two that a coupler joins. */
  qubits: readonly [number] | readonly [number, number]
  operational: boolean
  /** By id of the metric. */
  readings: ReadonlyMap<string, Reading>
}

/** A chip as maps and tables show it. */
export interface Chip {
  qubits: readonly Element[]
  couplers: readonly Element[]
  qubitMetrics: readonly Metric[]
  couplerMetrics: readonly Metric[]
  places: readonly (Point | undefined)[]
}

/** Values before the choice of a unit: by element, by id of the metric. */
interface Collected {
  metrics: Map<string, RawMetric>
  readings: Map<string, Reading>[]
}

/** Merges what the device describes with what calibrations have found, which has uncertainties and ages. */
export function readChip(described: Description, values: readonly CalibrationValue[]): Chip {
  const couplers = couplersOf(described)
  const qubits: Collected = { metrics: new Map(), readings: described.qubits.map(() => new Map()) }
  const edges: Collected = { metrics: new Map(), readings: couplers.map(() => new Map()) }
  addDescribedQubits(qubits, described)
  addGates(qubits, edges, described, couplers)
  const qubitAt = new Map(described.qubits.map(({ name }, index) => [name, index]))
  const couplerAt = new Map(
    couplers.flatMap(({ names }, index) => names.map((name) => [name, index] as const)),
  )
  for (const value of values) {
    const [at, other] = [qubitAt.get(value.element), couplerAt.get(value.element)]
    if (at !== undefined) addMeasured(qubits, at, value)
    else if (other !== undefined) addMeasured(edges, other, value)
  }
  return {
    qubitMetrics: finish(qubits),
    couplerMetrics: finish(edges),
    qubits: described.qubits.map(({ name, operational }, index) => ({
      name,
      operational,
      qubits: [index],
      readings: qubits.readings[index] ?? new Map(),
    })),
    couplers: couplers.map(({ pair, names, operational }, index) => ({
      name: names[0] ?? '',
      operational,
      qubits: pair,
      readings: edges.readings[index] ?? new Map(),
    })),
    places: described.qubits.map(({ x, y }) => (x === undefined || y === undefined ? undefined : { x, y })),
  }
}

interface Coupler {
  pair: readonly [number, number]
  /** In both orders of the qubits. */
  names: readonly string[]
  operational: boolean
}

/** The pairs on which some gate acts, each once. */
function couplersOf({ qubits, gates }: Description): Coupler[] {
  const found = new Map<string, Coupler>()
  for (const { qubits: on, operational } of gates.flatMap((gate) => gate.on)) {
    const [one, other] = on
    if (on.length !== 2 || one === undefined || other === undefined || one === other) continue
    const key = pairKey(one, other)
    const known = found.get(key)
    const names = [one, other].map((index) => qubits[index]?.name ?? '')
    found.set(key, {
      pair: known?.pair ?? [one, other],
      names: known?.names ?? [names.join('_'), names.toReversed().join('_')],
      operational: (known?.operational ?? true) && operational,
    })
  }
  return [...found.values()]
}

function pairKey(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

function addDescribedQubits(to: Collected, { qubits }: Description): void {
  for (const [index, { readout_error, t1_s, t2_s, frequency_hz }] of qubits.entries()) {
    if (readout_error !== undefined) add(to, index, metricOf('readout_fidelity'), 1 - readout_error)
    if (t1_s !== undefined) add(to, index, metricOf('t1'), t1_s)
    if (t2_s !== undefined) add(to, index, metricOf('t2'), t2_s)
    if (frequency_hz !== undefined) add(to, index, metricOf('frequency'), frequency_hz)
  }
}

type Place = Description['gates'][number]['on'][number]

/** Errors of gates of one and of two qubits, and how long the latter take. */
function addGates(
  qubits: Collected,
  edges: Collected,
  { gates }: Description,
  couplers: readonly Coupler[],
): void {
  const indexOf = new Map(couplers.map(({ pair }, index) => [pairKey(...pair), index]))
  for (const { name, on } of gates.filter(({ virtual }) => !virtual)) {
    for (const place of on) {
      const [one, other] = place.qubits
      if (place.qubits.length === 1) addPlace(qubits, one, metricOf(`gate.${name}`), place)
      if (place.qubits.length !== 2 || one === undefined || other === undefined) continue
      const index = indexOf.get(pairKey(one, other))
      addPlace(edges, index, metricOf(`gate.${name}`), place)
      if (index !== undefined && place.duration_s !== undefined)
        add(edges, index, metricOf(`duration.${name}`), place.duration_s)
    }
  }
}

/** The fidelity of a gate at a place. */
function addPlace(to: Collected, index: number | undefined, metric: RawMetric, { error }: Place): void {
  if (index !== undefined && error !== undefined) addWorst(to, index, metric, 1 - error)
}

function add(to: Collected, index: number, metric: RawMetric, value: number): void {
  to.metrics.set(metric.id, metric)
  to.readings[index]?.set(metric.id, { value, error: null, at: '', routine: '', element: '', parameter: '' })
}

/** The worse of the two directions of a gate counts. */
function addWorst(to: Collected, index: number, metric: RawMetric, value: number): void {
  const known = to.readings[index]?.get(metric.id)
  add(to, index, metric, Math.min(value, known?.value ?? value))
}

function addMeasured(to: Collected, index: number, measured: CalibrationValue): void {
  const { element, parameter, unit, value, error, at, routine } = measured
  const metric = metricOf(parameter, unit)
  to.metrics.set(metric.id, to.metrics.get(metric.id) ?? metric)
  to.readings[index]?.set(metric.id, { value, error, at, routine, element, parameter })
}

/** Chooses the unit of each metric by its values, and converts them. */
function finish({ metrics, readings }: Collected): Metric[] {
  return [...metrics.values()]
    .toSorted((one, other) => one.rank - other.rank || one.title.localeCompare(other.title))
    .map((metric) => {
      const values = readings.flatMap((own) => own.get(metric.id)?.value ?? [])
      const { unit, factor } = unitScale(metric, values)
      for (const own of readings) {
        const reading = own.get(metric.id)
        if (!reading) continue
        const error = reading.error === null ? null : reading.error * factor
        own.set(metric.id, { ...reading, value: reading.value * factor, error })
      }
      return { ...metric, unit, factor }
    })
}

/** A qubit or a coupler by its name. */
export function findElement(chip: Chip, name: string): Element | undefined {
  return (
    chip.qubits.find((qubit) => qubit.name === name) ?? chip.couplers.find((coupler) => coupler.name === name)
  )
}
