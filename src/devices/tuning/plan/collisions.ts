import type { ChipElements } from './chip-elements.ts'

/** Two transitions that are too close to each other. */
export interface Collision {
  /** Qubits, or an edge and a qubit. */
  readonly targets: readonly [string, string]
  /** Both transitions and their distance, for people. */
  readonly text: string
  /** Whether no pulse can tell them apart: what is measured of one may be that of the other. */
  readonly isCertain: boolean
}

/** A pulse of 56 ns is some 20 MHz wide, Hz. */
const APART_HZ = 10e6
/** What leaks of a pulse turns the other qubit by its whole share, Hz. */
const SAME_HZ = 2e6

type Transition = 'f01' | 'f12'
type ValueOf = (element: string, path: string) => number | undefined

/**
 * Collisions by the values at hand: those of the design before a run, found ones after. Transitions of
 * coupled qubits, those of two qubits beside a third, and the tone of each gate against what it would
 * exchange with any neighbor of its qubits.
 */
export function collisionsOf(chip: ChipElements, number: ValueOf): Collision[] {
  const beside = new Map(chip.qubits.map((qubit) => [qubit, neighborsOf(chip, qubit)]))
  const pairs = chip.qubits.flatMap((one, at) =>
    chip.qubits.slice(at + 1).map((other) => [one, other] as const),
  )
  return [
    ...chip.edges.flatMap(({ parent, child }) => betweenQubits(parent, child, number)),
    ...pairs.flatMap(([one, other]) => {
      const ofOne = beside.get(one) ?? []
      const shared = ofOne.find((qubit) => beside.get(other)?.includes(qubit))
      return shared === undefined || ofOne.includes(other) ? [] : betweenQubits(one, other, number, shared)
    }),
    ...chip.edges.flatMap((edge) => ofGate(edge, beside, number)),
  ]
}

function neighborsOf({ edges }: ChipElements, qubit: string): string[] {
  return edges.flatMap(({ parent, child }) => {
    if (parent === qubit) return [child]
    return child === qubit ? [parent] : []
  })
}

/** Transitions of two qubits; those of uncoupled ones beside a third matter only when they are the same. */
function betweenQubits(one: string, other: string, number: ValueOf, shared?: string): Collision[] {
  const limit = shared === undefined ? APART_HZ : SAME_HZ
  const named = ([a, b]: readonly [string, string], [of, than]: readonly [Transition, Transition]) => {
    const apart = Math.abs(
      (number(a, `clock_freqs.${of}`) ?? Number.NaN) - (number(b, `clock_freqs.${than}`) ?? Number.NaN),
    )
    if (!(apart < limit)) return []
    const where = shared === undefined ? '' : `, both beside ${shared},`
    const text = `${of} of ${a} and ${than} of ${b}${where} are ${apartText(apart, limit)}`
    return [{ targets: [a, b] as const, text, isCertain: shared === undefined && apart < SAME_HZ }]
  }
  return [
    ...named([one, other], ['f01', 'f01']),
    ...named([one, other], ['f01', 'f12']),
    ...named([other, one], ['f01', 'f12']),
  ]
}

/** What the tone of a gate would exchange with a neighbor, if its flux reached the coupler in between. */
function ofGate(
  { name, parent, child }: ChipElements['edges'][number],
  beside: ReadonlyMap<string, readonly string[]>,
  number: ValueOf,
): Collision[] {
  const tone = number(name, 'clock_freqs.cz') ?? Number.NaN
  return [parent, child].flatMap((end) =>
    (beside.get(end) ?? [])
      .filter((qubit) => qubit !== parent && qubit !== child)
      .flatMap((qubit) =>
        EXCHANGES.flatMap(([own, others]): Collision[] => {
          const of = number(end, `clock_freqs.${own}`) ?? Number.NaN
          const than = number(qubit, `clock_freqs.${others}`) ?? Number.NaN
          const apart = Math.abs(Math.abs(of - than) - tone)
          if (!(apart < APART_HZ)) return []
          const text = `the tone of ${name} and the exchange of ${own} of ${end} with ${others} of ${qubit} are ${apartText(apart, APART_HZ)}`
          return [{ targets: [name, qubit], text, isCertain: false }]
        }),
      ),
  )
}

const EXCHANGES: readonly (readonly [Transition, Transition])[] = [
  ['f01', 'f01'],
  ['f12', 'f01'],
  ['f01', 'f12'],
]

function apartText(apart: number, limit: number): string {
  return `${Number((apart / 1e6).toPrecision(3))} MHz apart, less than ${limit / 1e6} MHz`
}
