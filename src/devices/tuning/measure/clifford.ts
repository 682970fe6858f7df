import type { Rng } from '../../../simulator/index.ts'
import type { ScheduleBuilder } from '../../pulse/builder.ts'

/**
 * The 24 Clifford gates of a qubit as pulses: X and Y by half a turn, x and y by a quarter, - for backward.
 * On average 44/24 = 1.833 pulses; the identity has none (R. Barends et al., Nature 508, 500 (2014),
 * supplement).
 */
const PULSES = [
  '',
  'X',
  'Y',
  'Y X',
  'x y',
  'x -y',
  '-x y',
  '-x -y',
  'y x',
  'y -x',
  '-y x',
  '-y -x',
  'x',
  '-x',
  'y',
  '-y',
  '-x y x',
  '-x -y x',
  'X y',
  'X -y',
  'Y x',
  'Y -x',
  'x y x',
  '-x y -x',
].map((pulses) => pulses.split(' ').filter((pulse) => pulse !== '') as Pulse[])

type Pulse = 'X' | 'Y' | 'x' | 'y' | '-x' | '-y'

/** Number of Clifford gates of a qubit. */
export const GATES = PULSES.length

/** A rotation of the vector (x, y, z) as a matrix of 3 × 3 with entries 0, 1 and -1, row-major. */
export type Rotation = readonly number[]

const IDENTITY: Rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1]
const QUARTERS = {
  x: [1, 0, 0, 0, 0, -1, 0, 1, 0],
  y: [0, 0, 1, 0, 1, 0, -1, 0, 0],
} as const satisfies Record<string, Rotation>

function multiply(left: Rotation, right: Rotation): Rotation {
  return left.map((_, at) => {
    const [row, column] = [Math.floor(at / 3), at % 3]
    return [0, 1, 2].reduce(
      (sum, inner) => sum + (left[3 * row + inner] ?? 0) * (right[3 * inner + column] ?? 0),
      0,
    )
  })
}

function rotationOf(pulse: Pulse): Rotation {
  const quarter = QUARTERS[axisOf(pulse)]
  const count = pulse === pulse.toUpperCase() && !pulse.startsWith('-') ? 2 : pulse.startsWith('-') ? 3 : 1
  return Array<Rotation>(count).fill(quarter).reduce(multiply, IDENTITY)
}

function axisOf(pulse: Pulse): 'x' | 'y' {
  return pulse.endsWith('x') || pulse === 'X' ? 'x' : 'y'
}

const keyOf = (rotation: Rotation) => rotation.map((entry) => entry + 0).join()

const ROTATIONS = PULSES.map((pulses) =>
  pulses.reduce<Rotation>((all, pulse) => multiply(rotationOf(pulse), all), IDENTITY),
)
const GATE_OF = new Map(ROTATIONS.map((rotation, gate) => [keyOf(rotation), gate]))

/** The rotation of a gate. */
export function rotationOfGate(gate: number): Rotation {
  return ROTATIONS[gate] ?? IDENTITY
}

/** The gate that is a rotation; undefined for one that is not of the group. */
export function gateOfRotation(rotation: Rotation): number | undefined {
  return GATE_OF.get(keyOf(rotation))
}

/** The gate that these pulses make, as in `x -y`. @throws RangeError for other words. */
export function gateOfPulses(pulses: string): number {
  const gate = PULSES.findIndex((each) => each.join(' ') === pulses)
  if (gate === -1) throw new RangeError(`"${pulses}" is not a gate of the table`)
  return gate
}

/** The gate that is one quarter turn about x, by number. */
export const X90_GATE = gateOfPulses('x')

/** Random gates, by number. */
export function randomGates(rng: Rng, count: number): number[] {
  return Array.from({ length: count }, () => Math.floor(rng.next() * GATES))
}

/** The gate that undoes a sequence. */
export function inverseOf(gates: readonly number[]): number {
  const product = gates.reduce<Rotation>((all, gate) => multiply(ROTATIONS[gate] ?? IDENTITY, all), IDENTITY)
  const transposed = product.map((_, at) => product[3 * (at % 3) + Math.floor(at / 3)] ?? 0)
  const inverse = GATE_OF.get(keyOf(transposed))
  if (inverse === undefined) throw new RangeError('the gates are no rotations of the group')
  return inverse
}

/** Plays a gate on a qubit. */
export function playGate(schedule: ScheduleBuilder, qubit: string, gate: number): void {
  for (const pulse of PULSES[gate] ?? []) {
    const angle = pulse === 'X' || pulse === 'Y' ? Math.PI : Math.PI / 2
    const sign = pulse.startsWith('-') ? -1 : 1
    schedule.rotate(qubit, sign * angle, axisOf(pulse) === 'x' ? 0 : Math.PI / 2)
  }
}
