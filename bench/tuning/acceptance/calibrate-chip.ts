/**
 * Calibrates one cold chip and prints what came of it as JSON: a process of its own for each, so that the
 * memory of one ends with it.
 * `bun bench/tuning/acceptance/calibrate-chip.ts SEED COLUMNS ROWS normal|hard|wide`.
 */
import type { CalibrationFindings } from '../../../src/protocol/index.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { drawWide } from '../../../tests/support/tuning/acceptance/changed-chip.ts'
import { openBench } from '../../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../../tests/support/tuning/acceptance/design-file.ts'
import { errorAndLimit } from '../../../tests/support/tuning/acceptance/qubit-claims.ts'
import type { Judged } from '../../../tests/support/tuning/acceptance/taken.ts'

/** How a routine ended on a target. */
export interface Ended {
  routine: string
  target: string
  /** True for a refinement that found nothing better and kept the value. */
  isUnresolved: boolean
  /** Undefined when it succeeded. */
  error: string | undefined
}

/** Chips as the product draws them, of bad wafers, and with wide ranges of coherence. */
const BRING_UPS = ['normal', 'hard', 'wide'] as const

/** What came of the calibration of one chip. */
export interface ChipRun {
  seed: number
  bringUp: (typeof BRING_UPS)[number]
  hand: 1 | -1
  status: CalibrationFindings['status']
  ended: Ended[]
  judged: Judged[]
  /** Errors per pulse with the limits that coherence sets, by qubit. */
  gates: { target: string; error: number; limit: number }[]
  /** Distances of both frequencies of the qubits that switch, Hz. */
  switching: Record<string, number>
  seconds: number
}

async function calibrateChip(
  seed: number,
  grid: { columns: number; rows: number },
  bringUp: ChipRun['bringUp'],
): Promise<ChipRun> {
  using folder = temporaryFolder()
  const deviceFile = designFile(grid)
  const { path } = folder
  if (bringUp === 'wide') await drawWide(path, deviceFile, seed)
  const drawn = bringUp === 'wide' ? {} : { deviceFile, bringUp }
  const bench = await openBench({ folder: path, seed, ...drawn })
  const start = performance.now()
  const findings = await bench.calibrate()
  const seconds = (performance.now() - start) / 1000
  const ended = endsOf(findings)
  const hasSucceeded = ({ routine, target }: { routine: string; target: string }) =>
    ended.some(
      (each) => each.routine === routine && each.target === target && !each.error && !each.isUnresolved,
    )
  // A later attempt of the same routine replaces the finding of an earlier one.
  const last = new Map(
    bench.observed
      .filter(({ taken }) => hasSucceeded(taken))
      .map((each) => [`${each.taken.routine} ${each.taken.target}`, each]),
  )
  const gates = [...last.values()].flatMap(({ taken }) =>
    taken.routine === 'randomized_benchmarking' ? [{ target: taken.target, ...errorAndLimit(taken) }] : [],
  )
  const switching = Object.fromEntries(
    Object.entries(bench.truth.qubits).flatMap(([name, qubit]) =>
      qubit.switching ? [[name, qubit.switching.shift]] : [],
    ),
  )
  return {
    seed,
    bringUp,
    hand: bench.truth.hand,
    status: findings.status,
    ended,
    judged: [...last.values()].flatMap(({ judged }) => judged),
    gates,
    switching,
    seconds,
  }
}

function endsOf({ routines = [], skipped = [] }: CalibrationFindings): Ended[] {
  return [
    ...routines.map(({ routine, target, status, error, unresolved }) => ({
      routine,
      target,
      isUnresolved: unresolved === true,
      error: status === 'failed' ? `${error?.code}: ${error?.message}` : undefined,
    })),
    ...skipped.flatMap(({ routine, target, reason, detail }) =>
      reason === 'blocked' ? [{ routine, target, isUnresolved: false, error: `blocked: ${detail}` }] : [],
    ),
  ]
}

if (import.meta.main) {
  const [seed, columns, rows, bringUp] = process.argv.slice(2)
  const grid = { columns: Number(columns), rows: Number(rows) }
  const known = BRING_UPS.find((each) => each === bringUp) ?? 'normal'
  const run = await calibrateChip(Number(seed), grid, known)
  console.log(JSON.stringify(run))
}
