import type { Rng } from '../../../../simulator/index.ts'
import { GATES, gateOfPulses, gateOfRotation, type Rotation, rotationOfGate } from '../clifford.ts'

/**
 * A Clifford gate of two qubits as what it makes of the 16 Pauli products `4a + b` (a, b of 1, X, Y, Z): the
 * product's number, and 16 more when it is negative. It says everything about the gate but its global phase.
 */
type Images = Uint8Array

/** What is played: a gate by number on each qubit, or a CZ. */
type PairLayer = readonly [left: number, right: number] | 'cz'

/** A Clifford gate of two qubits. */
export interface PairGate {
  /** In the order of time; layers of single-qubit gates and CZ alternate. */
  readonly layers: readonly PairLayer[]
  readonly images: Images
}

const PRODUCTS = 16
const NEGATIVE = 16

/**
 * Gates that turn the axes in a circle. They decide which axis meets the CZ after them; all other gates can
 * pass the CZ, and are among those that come last.
 */
const CIRCLE = ['', 'x y', '-y -x']

/** out of `first`, then `then`. */
function follow(first: Images, then: Images): Images {
  return first.map((image) => (then[image & 15] ?? 0) ^ (image & NEGATIVE))
}

/** Undoes a gate. */
function invert(images: Images): Images {
  const inverse = new Uint8Array(PRODUCTS)
  for (const [product, image] of images.entries()) inverse[image & 15] = product | (image & NEGATIVE)
  return inverse
}

const NOTHING: Images = Uint8Array.from({ length: PRODUCTS }, (_, product) => product)

/** CZ turns X of one qubit into XZ of both, and XX into YY. */
const CZ: Images = Uint8Array.from({ length: PRODUCTS }, (_, product) => {
  const [a, b] = [product >> 2, product & 3]
  const flips = (one: number) => one === 1 || one === 2
  // X and Y of one qubit gain a Z of the other, which makes Z of 1 and X of Y, and the other way round.
  const image = 4 * (flips(b) ? 3 - a : a) + (flips(a) ? 3 - b : b)
  const isNegative = (a === 1 && b === 2) || (a === 2 && b === 1)
  return image | (isNegative ? NEGATIVE : 0)
})

/** What a rotation makes of 1, X, Y and Z: number and sign. */
function axesOf(rotation: Rotation): [number, number][] {
  const images: [number, number][] = [[0, 1]]
  for (let column = 0; column < 3; column++) {
    const row = [0, 1, 2].find((each) => rotation[3 * each + column] !== 0) ?? 0
    images.push([row + 1, rotation[3 * row + column] ?? 1])
  }
  return images
}

const AXES = Array.from({ length: GATES }, (_, gate) => axesOf(rotationOfGate(gate)))

function imagesOfPair([left, right]: readonly [number, number]): Images {
  const [one = [], other = []] = [AXES[left], AXES[right]]
  return Uint8Array.from({ length: PRODUCTS }, (_, product) => {
    const [a = 0, signA = 1] = one[product >> 2] ?? []
    const [b = 0, signB = 1] = other[product & 3] ?? []
    return (4 * a + b) | (signA * signB < 0 ? NEGATIVE : 0)
  })
}

function gateOf(layers: readonly PairLayer[]): PairGate {
  const images = layers.reduce<Images>(
    (all, layer) => follow(all, layer === 'cz' ? CZ : imagesOfPair(layer)),
    NOTHING,
  )
  return { layers, images }
}

const pairOf = (left: string, right: string): PairLayer => [gateOfPulses(left), gateOfPulses(right)]
const CIRCLES = CIRCLE.flatMap((left) => CIRCLE.map((right) => pairOf(left, right)))

/**
 * What precedes the single-qubit gates of the four classes: nothing, one CZ (like CNOT), two (like iSWAP),
 * and three (SWAP).
 */
const CORES: readonly PairGate[] = [
  gateOf([]),
  ...CIRCLES.map((circles) => gateOf([circles, 'cz'])),
  ...CIRCLES.map((circles) => gateOf([circles, 'cz', pairOf('y', '-x'), 'cz'])),
  gateOf([pairOf('', 'y'), 'cz', pairOf('y', '-y'), 'cz', pairOf('-y', 'y'), 'cz']),
]
const INVERSE_CORES = CORES.map(({ images }) => invert(images))

/** Number of Clifford gates of two qubits: 576 in the classes of 0 and 3 CZ, 5,184 in those of 1 and 2. */
export const PAIR_GATES = CORES.length * GATES * GATES

/**
 * A gate of the group by number (A. D. Córcoles et al., PRA 87, 030301 (2013); in terms of CZ R. Barends et
 * al., Nature 508, 500 (2014), supplement): 1.5 CZ on average.
 */
export function pairGate(number: number): PairGate {
  const core = CORES[Math.floor(number / (GATES * GATES))] ?? gateOf([])
  const last = [Math.floor(number / GATES) % GATES, number % GATES] as const
  return { layers: [...core.layers, last], images: follow(core.images, imagesOfPair(last)) }
}

/** Random gates, each of the group as likely. */
export function randomPairGates(rng: Rng, count: number): PairGate[] {
  return Array.from({ length: count }, () => pairGate(Math.floor(rng.next() * PAIR_GATES)))
}

/** The CZ alone. */
export const CZ_GATE: PairGate = { layers: ['cz'], images: CZ }

/** The gate of the group that undoes a sequence. */
export function inverseOfPair(gates: readonly PairGate[]): PairGate {
  const wanted = invert(gates.reduce<Images>((all, { images }) => follow(all, images), NOTHING))
  for (const [at, inverse] of INVERSE_CORES.entries()) {
    const last = singleGates(follow(inverse, wanted))
    const core = CORES[at]
    if (last && core) return { layers: [...core.layers, last], images: wanted }
  }
  throw new RangeError('the gates are not of the group')
}

/** A gate as one of each qubit; undefined for one that joins them. */
function singleGates(images: Images): readonly [number, number] | undefined {
  const left = singleGate([1, 2, 3].map((axis) => images[4 * axis] ?? 0).map(leftOf))
  const right = singleGate([1, 2, 3].map((axis) => images[axis] ?? 0).map(rightOf))
  return left === undefined || right === undefined ? undefined : [left, right]
}

type Signed = { axis: number; sign: number } | undefined

/** The axis of a product that involves the left qubit only. */
function leftOf(image: number): Signed {
  const product = image & 15
  return product & 3 ? undefined : { axis: (product >> 2) - 1, sign: image & NEGATIVE ? -1 : 1 }
}

function rightOf(image: number): Signed {
  const product = image & 15
  return product >> 2 ? undefined : { axis: (product & 3) - 1, sign: image & NEGATIVE ? -1 : 1 }
}

function singleGate(axes: readonly Signed[]): number | undefined {
  const rotation = Array<number>(9).fill(0)
  for (const [column, image] of axes.entries()) {
    if (!image) return undefined
    rotation[3 * image.axis + column] = image.sign
  }
  return gateOfRotation(rotation)
}
