import type { ChipElements } from './chip-elements.ts'

/** Two transitions of coupled qubits that are too close to each other. */
export interface Collision {
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

/** Collisions of coupled qubits by the values at hand: those of the design before a run, found ones after. */
export function collisionsOf(
  chip: ChipElements,
  number: (element: string, path: string) => number | undefined,
): Collision[] {
  const between = (one: string, other: string, transition: 'f01' | 'f12'): Collision[] => {
    const [a, b] = [number(one, 'clock_freqs.f01'), number(other, `clock_freqs.${transition}`)]
    if (a === undefined || b === undefined || !(Math.abs(a - b) < APART_HZ)) return []
    const apart = `${Number((Math.abs(a - b) / 1e6).toPrecision(3))} MHz apart, less than ${APART_HZ / 1e6} MHz`
    const text = `f01 of ${one} and ${transition} of ${other} are ${apart}`
    return [{ targets: [one, other], text, isCertain: Math.abs(a - b) < SAME_HZ }]
  }
  return chip.edges.flatMap(({ parent, child }) => [
    ...between(parent, child, 'f01'),
    ...between(parent, child, 'f12'),
    ...between(child, parent, 'f12'),
  ])
}
