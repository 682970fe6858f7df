import type { DriftLimits } from '../../drift/decide-drift.ts'
import { qubitsOf } from '../../plan/chip-elements.ts'
import { type Instance, instancesOf } from '../../plan/instances.ts'
import type { PlanInput } from '../../plan/planner.ts'
import type { Benchmark, Routine } from '../../routine.ts'
import { RoutineError } from '../../routine.ts'
import { driveCrosstalk } from '../../routines/benchmarks/drive_crosstalk.ts'
import { simultaneousRb } from '../../routines/benchmarks/simultaneous_rb.ts'
import { lineEndsReadout, lineReadout } from '../../routines/readout/line_readout.ts'
import { type NodeOutcome, type NodeRunner, runNode } from '../../walk/run-node.ts'
import type { NodeResult, WalkResult } from '../../walk/walk.ts'
import { MARKED } from '../record-checks.ts'

/** What shows whether a chip works as its report says, in the order in which it runs. */
const REPEATED = ['readout_fidelity', 'randomized_benchmarking', 'cz_rb']
/** What compares a qubit beside the others with itself alone, and the codes of its judgement. */
const TOGETHER: readonly Routine[] = [lineReadout, lineEndsReadout, simultaneousRb, driveCrosstalk]
const JUDGED: ReadonlySet<string> = new Set(['readout_crosstalk', 'simultaneous_error', 'drive_crosstalk'])
/** From how many times its limit on an error keeps everything from being used. */
const UNUSABLE = 3
/** Standard errors by which it must be larger. */
const CLEAR = 2

interface BenchmarkInput {
  readonly input: PlanInput
  /** Measures in the sizes of the run. */
  readonly runner: NodeRunner
  /** The settings of a fidelity check. */
  readonly quick: NodeRunner['settingsOf']
  /** How many times as large as in the run an error may be. */
  readonly limits: DriftLimits
  onBenchmark(node: Instance): void
}

/**
 * Repeats the benchmarks of a full calibration after its checks, small ones: errors of pulses, of readout and
 * of gates, the qubits of each readout line read together, and each qubit beside the pulses of the others. An
 * error that has clearly drifted from that of the run, twice, is a failure: the values stay, because
 * their checks have passed, and are stale. The figures are in the notes.
 */
export async function verifyBenchmarks(walked: WalkResult, options: BenchmarkInput): Promise<WalkResult> {
  const seen = new Map<string, string[]>()
  const lines: NodeResult[] = []
  const off: Off[] = []
  for (const node of repeatedNodes(walked, options)) {
    const { routine, target } = node
    const found = await looked(node, benchmarkOf(walked, node), options)
    if (found === undefined) continue
    if ('factor' in found) {
      off.push(found)
      continue
    }
    const { benchmark } = found.finding ?? {}
    if (benchmark)
      seen.set(routine.name, [...(seen.get(routine.name) ?? []), `${target} ${textOf(benchmark)}`])
    if (routine === lineReadout)
      lines.push({ routine, target, outcome: found, isUnresolved: false, parameters: {} })
  }
  const notes = Array.from(seen, ([name, texts]) => `errors verified by ${name}: ${texts.join(', ')}`)
  return {
    ...walked,
    results: [...walked.results, ...lines, ...off.map(({ result }) => result)],
    notes: [...walked.notes, ...notes],
    stale: [
      ...(walked.stale ?? []),
      ...off.flatMap(({ result: { routine, target }, factor }) =>
        (MARKED[routine.name] ?? []).map((path) => ({
          target,
          path,
          routine: routine.name,
          isUnusable: factor > UNUSABLE * options.limits.errorFactor,
        })),
      ),
    ],
  }
}

/** A benchmark that is worse than in the run. */
interface Off {
  readonly result: NodeResult
  /** How many times as large as in the run its error is; infinite without one. */
  readonly factor: number
}

/**
 * The benchmarks that succeeded in the run, and the lines of the qubits that were read: in all states from
 * the first qubit of a line, which finds the assignment of the line, in the first and the last one from the
 * others. What may not be used, because its value failed and there is none of before, has failed once.
 */
function repeatedNodes(walked: WalkResult, { input, runner }: BenchmarkInput): Instance[] {
  const unusable = new Set(walked.stale?.map(({ target, isUnusable }) => (isUnusable ? target : '')))
  const nodes = [...instancesOf(input).byKey.values()].filter(({ target }) =>
    [target, ...qubitsOf(target, input.chip.edges)].every((name) => !unusable.has(name)),
  )
  const isMeant = (name: string) => (node: Instance) =>
    node.routine.name === name && benchmarkOf(walked, node) !== undefined
  const read = nodes.filter(isMeant('readout_fidelity')).map(({ target }) => target)
  const lines = read.map((target, at) => {
    const isFirst = !read.slice(0, at).some((other) => runner.sharesLine?.(target, other))
    return { routine: isFirst ? lineReadout : lineEndsReadout, target }
  })
  const driven = nodes.filter(isMeant('randomized_benchmarking')).map(({ target }) => target)
  const beside = [simultaneousRb, driveCrosstalk].flatMap((routine) =>
    driven.map((target) => ({ routine, target })),
  )
  return [...REPEATED.flatMap((name) => nodes.filter(isMeant(name))), ...lines, ...beside]
}

/** What a benchmark said last in a run. */
export function benchmarkOf({ results }: WalkResult, { routine, target }: Instance): Benchmark | undefined {
  return results.findLast((result) => result.routine.name === routine.name && result.target === target)
    ?.outcome.finding?.benchmark
}

/** How a benchmark ends now; undefined for a qubit that shares no line. */
async function looked(
  node: Instance,
  before: Benchmark | undefined,
  { runner, quick, limits, onBenchmark }: BenchmarkInput,
): Promise<NodeOutcome | Off | undefined> {
  const { routine, target } = node
  let last: { outcome: NodeOutcome; factor: number } | undefined
  // A few sequences may not decide: what is off is repeated in the size of the run.
  for (const settingsOf of [quick, runner.settingsOf]) {
    runner.signal.throwIfAborted()
    onBenchmark(node)
    const [outcome] = await runNode(routine, [target], { ...runner, settingsOf, maxAttempts: 1 })
    const code = outcome?.error?.code
    // What compares and could not decide says nothing about the values.
    const isUndecided = code !== undefined && TOGETHER.includes(routine) && !JUDGED.has(code)
    if (!outcome || code === 'declined' || isUndecided) return undefined
    const factor = factorOf(outcome.finding?.benchmark, before, TOGETHER.includes(routine))
    if (factor <= limits.errorFactor) return outcome
    last = { outcome, factor }
  }
  return last && { factor: last.factor, result: failed(node, last.outcome, before) }
}

/** By how much an error is at least larger than before, in units of that. */
function factorOf(now: Benchmark | undefined, before: Benchmark | undefined, isTogether: boolean): number {
  if (!now) return Number.POSITIVE_INFINITY
  // It judges itself: beside the others against alone.
  if (isTogether || now.upperBound) return 0
  const most = before?.error ?? before?.upperBound?.error
  if (now.error === undefined || most === undefined) return 0
  return (now.error - CLEAR * (now.fidelityError ?? 0)) / most
}

function failed(
  { routine, target }: Instance,
  outcome: NodeOutcome,
  before: Benchmark | undefined,
): NodeResult {
  const { error, finding } = outcome
  const was = before === undefined ? '' : `, ${textOf(before)} in the run`
  const now = finding?.benchmark ? `${textOf(finding.benchmark)}${was}` : (error?.message ?? 'no result')
  const message = `at the end of the run: ${now}; the values are kept and stale`
  const code = TOGETHER.includes(routine) && error ? error.code : 'not_verified'
  const said = new RoutineError(code, message, error?.quality && { quality: error.quality })
  return {
    routine,
    target,
    isUnresolved: false,
    parameters: {},
    outcome: { ...outcome, finding: undefined, error: said },
  }
}

function textOf({ error, upperBound, metric }: Benchmark): string {
  const value = upperBound ? upperBound.error : (error ?? Number.NaN)
  const shown = metric === 'assignment' ? `${(100 * value).toPrecision(3)} %` : value.toPrecision(3)
  return upperBound ? `at most ${shown}` : shown
}
