import type { COLLECTIONS } from '../../src/db/index.ts'

/** Names of tables in the code. */
export type Table = (typeof COLLECTIONS)[number]['name']

/** A record that all stores have by the same id. */
export const idOf = (kind: string, index: number) => `${kind}${String(index).padStart(15 - kind.length, '0')}`

/** Texts that databases compare, sort and search in different ways. */
export const TEXTS = [
  ...['', 'a', 'A', 'ab', 'aB', 'Zeta', 'zeta', '_', 'a_b', 'a%b', 'a\\b', 'north', 'South', '5', '12'],
  ...['007', '1e5', '5.0', ' ', ' a', 'ä', 'Ä', 'ß', 'é', 'z', 'İ', 'ı', '量子', '🎉', "it's", '"', '[]'],
  ...['null', 'true'],
] as const

export const NUMBERS = [0, 1, 2, 5, 12, 0.5, 1.25, -1, 1e-7, 1e15, 123_456.789, 0.1] as const

export const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; c = measure q;'

/** Values of JSON. */
export const VALUES = [
  null,
  'x',
  5,
  5.5,
  true,
  [],
  {},
  [1, 'a', null, [2]],
  { n: 5, s: 'x', l: [1, 2], o: { '00': 3, '11': 1.5 } },
  { s: 'ÄÖ', n: 1e21, b: false, deep: [{ k: 'v' }, { k: 5 }] },
] as const
