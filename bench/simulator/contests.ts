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

/** The published circuits that both sides read, up to a number of qubits, by size. */
export async function fileContests(mostQubits: number): Promise<Contest[]> {
  const files = readdirSync(CIRCUITS).filter((name) => name.endsWith('.qasm') && name !== UNREADABLE)
  const contests = files.map(async (file) => {
    const qubits = Number(/_n(\d+)/.exec(file)?.[1])
    return contest(basename(file, '.qasm'), await Bun.file(join(CIRCUITS, file)).text(), qubits)
  })
  const all = await Promise.all(contests)
  return all.filter(({ qubits }) => qubits <= mostQubits).toSorted((a, b) => a.qubits - b.qubits)
}

/** A GHZ state of 1,000 qubits with 10,000 shots, on tableaux: for us alone, Aer takes minutes. */
export function stabilizerContest(): Contest {
  const more = { method: 'stabilizer', shots: 10_000, goal: { ms: 1_000 } }
  return contest('ghz 1000, 10,000 shots', FAMILIES.ghz(1_000), 1_000, more)
}
