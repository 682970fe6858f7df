import * as v from 'valibot'
import {
  type ChannelOp,
  defineNoiseModel,
  EXACT_READOUT,
  type NoiseModel,
  onQubit,
  type ReadoutError,
  thermalRelaxation,
} from '../../simulator/index.ts'

/** A number, or `.nan` for a value that was never measured. */
const value = v.optional(v.union([v.number(), v.nan()], 'expected a number'))
const probability = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const row = v.looseTuple([probability, probability])
const assignment = v.optional(v.looseTuple([row, row]))
const elementType = v.looseObject({ path: v.string() })

/** The fields of a qubit that matter here; the rest of the file is for drivers of real chips. */
const qubitBody = v.looseObject({
  element_type: elementType,
  rxy: v.optional(v.looseObject({ duration: value }), {}),
  coherence: v.optional(v.looseObject({ t1: value, t2_star: value, t2_echo: value }), {}),
  measure_2state: v.optional(v.looseObject({ assignment }), {}),
  measure_3state: v.optional(v.looseObject({ assignment }), {}),
  discriminator_2state: v.optional(v.looseObject({ assignment }), {}),
})

const edgeBody = v.looseObject({
  element_type: v.looseObject({
    path: v.string(),
    kwargs: v.looseObject({ parent_element_name: v.string(), child_element_name: v.string() }),
  }),
  cz: v.optional(v.looseObject({ square_duration: value }), {}),
})

const QUBITS = new Set(['BasicTransmonElement', 'CalibratedTransmon'])
const EDGES = new Set(['CompositeSquareEdge', 'FluxTunableCoupler'])

/** Default durations of the elements, s. */
const RXY_DURATION = 20e-9
const CZ_DURATION = 20e-9

/** Rotations about z are virtual: they take no time. */
const VIRTUAL = new Set(['p', 'phase', 'u1', 'rz', 'z', 's', 'sdg', 't', 'tdg', 'id'])

interface Qubit {
  name: string
  duration: number
  t1: number
  t2: number
  readout: ReadoutError
}

/** Whether this is the content of a `scheduler.device.yml` rather than of a noise file. */
export function isDeviceFile(content: unknown): boolean {
  return v.is(
    v.pipe(v.record(v.string(), v.looseObject({ element_type: v.unknown() })), v.minEntries(1)),
    content,
  )
}

/** The qubits and edges of a chip. */
interface Chip {
  qubits: Qubit[]
  /** Duration of the gate of two qubits, s, by both orders of their names. */
  edges: Map<string, number>
  problems: string[]
}

/**
 * The noise model of a calibrated chip: relaxation during gates and delays by the measured times of its
 * qubits, and the measured readout errors. Qubit i of a circuit is the i-th qubit of the file, or `q<i>` when
 * all have such names. Values that were never measured add no noise. Returns the problems of an invalid file
 * instead, one line each.
 */
export function noiseOfDeviceFile(content: unknown, source: string): NoiseModel | { problems: string[] } {
  const chip: Chip = { qubits: [], edges: new Map(), problems: [] }
  for (const [name, body] of Object.entries(content as Record<string, unknown>)) addElement(chip, name, body)
  if (chip.qubits.length === 0) chip.problems.push('the file has no qubit')
  if (chip.problems.length > 0) return { problems: chip.problems }
  const qubits = inOrder(chip.qubits)
  return defineNoiseModel({
    source,
    qubits: qubits.length,
    gateNoiseOf: (name, places) => relaxationDuring(name, places, qubits, chip.edges),
    relaxationOf: (index) => qubits[index],
    readoutErrorOf: (index) => qubits[index]?.readout ?? EXACT_READOUT,
  })
}

function addElement(chip: Chip, name: string, body: unknown): void {
  const kind = classOf(body)
  if (QUBITS.has(kind)) {
    const qubit = read(chip, name, qubitBody, body)
    if (qubit) chip.qubits.push(qubitOf(name, qubit))
  } else if (EDGES.has(kind)) {
    const edge = read(chip, name, edgeBody, body)
    if (!edge) return
    const { parent_element_name: parent, child_element_name: child } = edge.element_type.kwargs
    const duration = positive(edge.cz.square_duration) ?? CZ_DURATION
    chip.edges.set(`${parent} ${child}`, duration).set(`${child} ${parent}`, duration)
  } else {
    chip.problems.push(`${name}.element_type.path: expected one of ${[...QUBITS, ...EDGES].join(', ')}`)
  }
}

/** Parses the body of an element; adds its errors to the problems of the chip. */
function read<T>(
  chip: Chip,
  name: string,
  schema: v.GenericSchema<unknown, T>,
  body: unknown,
): T | undefined {
  const parsed = v.safeParse(schema, body)
  if (parsed.success) return parsed.output
  for (const issue of parsed.issues)
    chip.problems.push(`${name}.${v.getDotPath(issue) ?? ''}: ${issue.message}`)
  return undefined
}

/** The last part of the dotted path that names the class of an element. */
function classOf(body: unknown): string {
  const parsed = v.safeParse(v.looseObject({ element_type: elementType }), body)
  return parsed.success ? (parsed.output.element_type.path.split('.').at(-1) ?? '') : ''
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && number > 0 ? number : undefined
}

function qubitOf(name: string, body: v.InferOutput<typeof qubitBody>): Qubit {
  const t1 = positive(body.coherence.t1) ?? Number.POSITIVE_INFINITY
  const t2 = positive(body.coherence.t2_echo) ?? positive(body.coherence.t2_star) ?? 2 * t1
  const matrix =
    body.measure_2state.assignment ?? body.discriminator_2state.assignment ?? body.measure_3state.assignment
  return {
    name,
    duration: positive(body.rxy.duration) ?? RXY_DURATION,
    t1,
    // Times measured separately may contradict each other; physically, t2 is at most twice t1.
    t2: Math.min(t2, 2 * t1),
    readout: matrix ? [1 - matrix[0][0], 1 - matrix[1][1]] : EXACT_READOUT,
  }
}

function inOrder(qubits: readonly Qubit[]): Qubit[] {
  const named = new Map(qubits.map((qubit) => [qubit.name, qubit]))
  const numbered = qubits.map((_, index) => named.get(`q${index}`))
  return numbered.every((qubit) => qubit !== undefined) ? numbered : [...qubits]
}

/**
 * Relaxation of each qubit of a gate during the gate: the duration of the qubit's pulse, or of the edge's
 * gate.
 */
function relaxationDuring(
  name: string,
  places: readonly number[],
  qubits: readonly Qubit[],
  edges: ReadonlyMap<string, number>,
): ChannelOp[] {
  if (VIRTUAL.has(name)) return []
  const names = places.map((place) => qubits[place]?.name ?? '')
  // A gate without an edge is composed of gates with one: the longest gate approximates it.
  const shared = edges.get(names.join(' ')) ?? Math.max(CZ_DURATION, ...edges.values())
  return places.flatMap((place) => {
    const qubit = qubits[place]
    const duration = places.length > 1 ? shared : (qubit?.duration ?? 0)
    return qubit ? onQubit(place, thermalRelaxation({ t1: qubit.t1, t2: qubit.t2, duration })) : []
  })
}
