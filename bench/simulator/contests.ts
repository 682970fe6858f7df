import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FAMILIES } from './programs.ts'
import type { Contest, Goal } from './sides.ts'

const SHOTS = 1_024
/**
 * Up to this number of qubits a job takes as long as a few function calls: the goal differs, and rounds have
 * many jobs.
 */
const SMALL_QUBITS = 14
const SMALL_REPEATS = 50
/** From this number of qubits on, the state takes most of the time. */
const MIN_SINGLE_QUBITS = 16

const CIRCUITS = join(import.meta.dir, '../../tests/circuits')
/** Measures registers that it does not declare: Qiskit refuses it, we warn about it. */
const UNREADABLE = 'vqe_uccsd_n6.qasm'

function goalOf(qubits: number): Goal {
  if (qubits <= SMALL_QUBITS) return { ratio: 0.1 }
  return { ratio: qubits < 22 ? 1 : 0.6 }
}

function contest(name: string, program: string, qubits: number, more: Partial<Contest> = {}): Contest {
  const repeats = qubits <= SMALL_QUBITS ? SMALL_REPEATS : 1
  return { name, program, qubits, method: 'automatic', shots: SHOTS, repeats, goal: goalOf(qubits), ...more }
}

/**
 * The families in `names` at each of the sizes; GHZ, for which both sides choose tableaux, also as a
 * written-out state.
 */
export function familyContests(names: readonly string[], sizes: readonly number[]): Contest[] {
  return Object.entries(FAMILIES)
    .filter(([name]) => names.includes(name))
    .flatMap(([name, family]) =>
      sizes.flatMap((qubits) => {
        const automatic = contest(`${name} ${qubits}`, family(qubits), qubits)
        const written = { ...automatic, name: `${name} ${qubits}, statevector`, method: 'statevector' }
        return name === 'ghz' ? [automatic, written] : [automatic]
      }),
    )
}

/** The families in single precision on both sides, at each of the sizes from which states are large. */
export function singleContests(sizes: readonly number[]): Contest[] {
  const large = sizes.filter((qubits) => qubits >= MIN_SINGLE_QUBITS)
  return Object.entries(FAMILIES).flatMap(([name, family]) =>
    large.map((qubits) =>
      contest(`${name} ${qubits}, single precision`, family(qubits), qubits, {
        method: 'statevector',
        precision: 'single',
      }),
    ),
  )
}

/** The circuits of a folder as matrix product states of both sides, by size. */
export async function chainContests(folder: string): Promise<Contest[]> {
  const more = { method: 'matrix_product_state', goal: { ratio: 1 }, repeats: 1 }
  const all = await contestsIn(folder, more)
  return all.toSorted((a, b) => a.qubits - b.qubits)
}

function contestsIn(folder: string, more: Partial<Contest> = {}): Promise<Contest[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.qasm') && name !== UNREADABLE)
  return Promise.all(
    files.map(async (file) => {
      const qubits = Number(/_n(\d+)/.exec(file)?.[1])
      return contest(basename(file, '.qasm'), await Bun.file(join(folder, file)).text(), qubits, more)
    }),
  )
}

/** The published circuits that both sides read, up to a number of qubits, by size. */
export async function fileContests(mostQubits: number): Promise<Contest[]> {
  const all = await contestsIn(CIRCUITS)
  return all.filter(({ qubits }) => qubits <= mostQubits).toSorted((a, b) => a.qubits - b.qubits)
}

/** A GHZ state of 1,000 qubits with 10,000 shots, on tableaux: for us alone, Aer takes minutes. */
export function stabilizerContest(): Contest {
  const more = { method: 'stabilizer', shots: 10_000, goal: { ms: 1_000 } }
  return contest('ghz 1000, 10,000 shots', FAMILIES.ghz(1_000), 1_000, more)
}
