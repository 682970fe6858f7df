import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { percentile } from '../../support/figures.ts'
import type { ChipRun, Ended } from './calibrate-chip.ts'

/** One figure of the acceptance table, with what was seen. */
export interface Verdict {
  figure: string
  seen: string
  isMet: boolean
}

/** The figures that the acceptance table demands. */
const GOAL = {
  shareWithin: 0.95,
  /** Tolerances from which on a value is wrong. */
  wrong: 3,
  calibratedHard: 0.9,
  /** Error per pulse in units of the limit of coherence. */
  medianError: 1.3,
  worstError: 2,
} as const

/** Without these a qubit is not calibrated. */
const PRODUCERS = [
  'resonator_spectroscopy',
  'punchout',
  'qubit_01_spectroscopy',
  'rabi_oscillations',
  'ramsey_correction',
  'two_state_discrimination',
]

const BENCHMARKS: ReadonlySet<string> = new Set(
  ROUTINES.filter((routine) => 'isBenchmark' in routine).map(({ name }) => name),
)

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** The largest distance of a value of a routine on a target; undefined when none has a known truth. */
function distanceOf({ judged }: ChipRun, { routine, target }: Ended): number | undefined {
  const distances = judged
    .filter((each) => each.routine === routine && each.target === target)
    .map(({ distance }) => (Number.isFinite(distance) ? distance : Number.POSITIVE_INFINITY))
  return distances.length > 0 ? Math.max(...distances) : undefined
}

/** Row 1: what share succeeded with all values within the tolerance, and how many values are wrong. */
export function verdictsOnCold(runs: readonly ChipRun[]): Verdict[] {
  const nodes = runs.flatMap((run) =>
    run.ended.map((ended) => ({ ...ended, distance: distanceOf(run, ended) ?? 0 })),
  )
  const good = nodes.filter(({ error, distance }) => error === undefined && distance <= 1)
  return [
    {
      figure: `success within the tolerance ≥ ${percent(GOAL.shareWithin)}`,
      seen: `${percent(good.length / nodes.length)} of ${nodes.length}`,
      isMet: good.length >= GOAL.shareWithin * nodes.length,
    },
    wrongValues(runs),
  ]
}

/** Row `wide`: with T1 of 5 µs to 5 ms no step fails, and no value is wrong. */
export function verdictsOnWide(runs: readonly ChipRun[]): Verdict[] {
  const ended = runs.flatMap((run) => run.ended)
  const failed = ended.filter(({ error }) => error !== undefined)
  return [
    {
      figure: 'steps that failed: 0',
      seen: `${failed.length} of ${ended.length}`,
      isMet: failed.length === 0,
    },
    wrongValues(runs),
  ]
}

function wrongValues(runs: readonly ChipRun[]): Verdict {
  const wrong = runs.flatMap(({ judged }) =>
    judged.filter(({ routine, distance }) => !(distance <= GOAL.wrong) && !BENCHMARKS.has(routine)),
  )
  return {
    figure: `values written more than ${GOAL.wrong} tolerances off: 0`,
    seen: String(wrong.length),
    isMet: wrong.length === 0,
  }
}

/** Row 2: what share of the qubits of bad wafers is calibrated, and whether the others name what failed. */
export function verdictsOnHard(runs: readonly ChipRun[]): Verdict[] {
  const qubits = runs.flatMap(({ ended }) =>
    [...new Set(ended.filter(({ routine }) => routine === PRODUCERS[0]).map(({ target }) => target))].map(
      (qubit) => ended.filter(({ target }) => target === qubit),
    ),
  )
  const bad = qubits.filter((ends) => ends.some(isFailedProducer))
  const named = bad.filter((ends) => {
    const first = ends.find(({ error }) => error !== undefined)
    const blocked = ends.filter(({ error }) => error?.startsWith('blocked: '))
    return (
      first &&
      !first.error?.startsWith('blocked') &&
      blocked.every(({ error }) => error?.includes(first.routine))
    )
  })
  const share = 1 - bad.length / qubits.length
  return [
    {
      figure: `qubits calibrated ≥ ${percent(GOAL.calibratedHard)}`,
      seen: `${percent(share)} of ${qubits.length}`,
      isMet: share >= GOAL.calibratedHard,
    },
    {
      figure: 'the others name the producer that failed first: all',
      seen: `${named.length} of ${bad.length}`,
      isMet: named.length === bad.length,
    },
    wrongValues(runs),
  ]
}

function isFailedProducer({ routine, error }: Ended): boolean {
  return error !== undefined && PRODUCERS.includes(routine)
}

/** Row 4: the error of a pulse in units of what coherence allows. */
export function verdictsOnGates(runs: readonly ChipRun[]): Verdict[] {
  const ratios = runs.flatMap(({ gates }) => gates.map(({ error, limit }) => error / limit))
  const verdict = (name: string, part: number, limit: number): Verdict => {
    const seen = percentile(ratios, part)
    return { figure: `${name} ≤ ${limit} × the limit`, seen: seen.toFixed(2), isMet: seen <= limit }
  }
  return [
    verdict('error per pulse, median', 0.5, GOAL.medianError),
    verdict('error per pulse, 95 %', 0.95, GOAL.worstError),
  ]
}

const GATE_FIGURES = [
  { routine: 'cz_calibration', path: 'phase of the gate' },
  { routine: 'cz_calibration', path: 'leakage' },
  { routine: 'cz_rb', path: 'error' },
  { routine: 'process_tomography', path: 'error' },
] as const

/** Row 5: what share of the figures of gates is within the tolerance. */
export function verdictsOnPairs(runs: readonly ChipRun[]): Verdict[] {
  return GATE_FIGURES.map(({ routine, path }) => {
    const edges = runs.flatMap((run) =>
      run.ended
        .filter((each) => each.routine === routine)
        .map(({ target, error }) => ({ run, target, error })),
    )
    const good = edges.filter(
      ({ run, target, error }) =>
        error === undefined &&
        run.judged.some(
          (each) =>
            each.routine === routine && each.target === target && each.path === path && each.distance <= 1,
        ),
    )
    return {
      figure: `${routine}: ${path} within the tolerance ≥ ${percent(GOAL.shareWithin)}`,
      seen: `${percent(good.length / edges.length)} of ${edges.length}`,
      isMet: good.length >= GOAL.shareWithin * edges.length,
    }
  })
}

/** A line of the table of a row: how a routine ended, and how far its values are from the truth. */
export function linesOf(runs: readonly ChipRun[]): string[][] {
  const routines = ROUTINES.map(({ name }) => name).filter((name) =>
    runs.some(({ ended }) => ended.some(({ routine }) => routine === name)),
  )
  return routines.map((name) => {
    const ends = runs.flatMap((run) => run.ended.filter(({ routine }) => routine === name))
    const succeeded = ends.filter(({ error }) => error === undefined).length
    const distances = runs.flatMap(({ judged }) =>
      judged.filter(({ routine }) => routine === name).map(({ distance }) => distance),
    )
    const within = distances.filter((distance) => distance <= 1).length
    const figures = [0.5, 0.95, 1].map((part) => percentile(distances, part).toFixed(2))
    return [
      name,
      String(ends.length),
      percent(succeeded / ends.length),
      ...(distances.length > 0 ? [percent(within / distances.length), ...figures] : ['–', '–', '–', '–']),
    ]
  })
}

/** What went wrong, a line each: failures with their reasons, and values beyond the tolerance. */
export function faultsOf(run: ChipRun): string[] {
  const place = (target: string) => `seed ${run.seed} (hand ${run.hand}) ${target}${switchesOf(run, target)}`
  const failed = run.ended
    .filter(({ error }) => error !== undefined && !error.startsWith('blocked'))
    .map(({ routine, target, error }) => `${place(target)} ${routine}: ${error}`)
  const off = run.judged
    .filter(({ distance }) => !(distance <= 1))
    .map(({ routine, target, path, value, truth, distance }) => {
      return `${place(target)} ${routine}: ${path} ${value}, truth ${truth}, ${distance.toFixed(2)} tolerances`
    })
  return [...failed, ...off]
}

/** The qubits of a target that switch between two frequencies, and how far these are apart. */
function switchesOf({ switching }: ChipRun, target: string): string {
  const names = target.split('_').filter((name) => switching[name] !== undefined)
  const all = names.map((name) => `${name} switches by ${((switching[name] ?? 0) / 1e3).toFixed(0)} kHz`)
  return all.length > 0 ? ` (${all.join(', ')})` : ''
}
