import * as v from 'valibot'
import { strictKeys } from '../../base/index.ts'
import {
  amplitudeDamping,
  type Channel,
  channelsByRules,
  defineNoiseModel,
  depolarizing,
  EXACT_READOUT,
  type GateRule,
  isComplete,
  type NoiseModel,
  pauliChannel,
  phaseDamping,
  type ReadoutError,
  thermalRelaxation,
} from '../../simulator/index.ts'
import type { DescribedChip, Timing } from './describe-chip.ts'

/** Maximum number of qubits of a channel: a superoperator on more takes as long as the circuit. */
const MAX_CHANNEL_QUBITS = 3
const qubit = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9_999))
const probability = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const seconds = v.pipe(v.number(), v.gtValue(0), v.maxValue(1e6))

/** Channels for a gate on the given number of qubits. */
type Channels = (qubits: number) => Channel[]

const times = {
  t1: seconds,
  t2: seconds,
  excited: v.optional(probability, 0),
}
const areTimes = <T extends { t1: number; t2: number }>() =>
  v.check<T, string>(({ t1, t2 }) => t2 <= 2 * t1, 'expected t2 of at most twice t1')

const pauli = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[IXYZ]{1,3}$/, 'expected letters I, X, Y and Z, one per qubit')),
    probability,
  ),
  v.check(
    (terms) => new Set(Object.keys(terms).map((word) => word.length)).size === 1,
    'expected words of one length',
  ),
  v.check(
    (terms) => Object.values(terms).reduce((sum, each) => sum + each, 0) <= 1 + 1e-12,
    'expected probabilities of at most 1 together',
  ),
  v.transform(
    (terms): Channels =>
      () => [pauliChannel(new Map(Object.entries(terms)))],
  ),
)

const entry = v.tuple([v.number(), v.number()])
const kraus = v.pipe(
  v.array(v.array(v.array(entry))),
  v.minLength(1),
  v.maxLength(4 ** MAX_CHANNEL_QUBITS),
  v.check(
    ([first = [], ...rest]) =>
      [first, ...rest].every(
        (rows) => rows.length === first.length && rows.every((row) => row.length === first.length),
      ) && [2, 4, 8].includes(first.length),
    'expected square matrices of 2, 4 or 8 rows with entries [re, im]',
  ),
  v.transform(
    (matrices): Channel => ({
      qubits: Math.log2(matrices[0]?.length ?? 2),
      kraus: matrices.map((rows) => Float64Array.from(rows.flat(2))),
    }),
  ),
  v.check(isComplete, 'expected matrices whose sum of K†K is the identity to 1e-8'),
  v.transform(
    (channel): Channels =>
      () => [channel],
  ),
)

/** An object with these keys, and no others. */
function strict<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject(entries, strictKeys(entries))
}

const error = v.union(
  [
    v.pipe(
      strict({ depolarizing: probability }),
      v.transform(
        ({ depolarizing: p }): Channels =>
          (qubits) => [depolarizing(p, qubits)],
      ),
    ),
    v.pipe(
      strict({ amplitude_damping: probability }),
      v.transform(
        ({ amplitude_damping: gamma }): Channels =>
          () => [amplitudeDamping(gamma)],
      ),
    ),
    v.pipe(
      strict({ phase_damping: probability }),
      v.transform(
        ({ phase_damping: gamma }): Channels =>
          () => [phaseDamping(gamma)],
      ),
    ),
    v.pipe(
      strict({ thermal: v.pipe(strict({ ...times, duration: seconds }), areTimes()) }),
      v.transform(
        ({ thermal }): Channels =>
          () =>
            thermalRelaxation(thermal),
      ),
    ),
    v.pipe(
      strict({ pauli }),
      v.transform(({ pauli: channels }) => channels),
    ),
    v.pipe(
      strict({ kraus }),
      v.transform(({ kraus: channels }) => channels),
    ),
  ],
  'expected one of depolarizing, amplitude_damping, phase_damping with a number from 0 to 1, or thermal, pauli, kraus in the form described in docs/how-to/simulate-noise.md',
)

const names = v.union([v.string(), v.array(v.string())], 'expected a name of a gate or a list of them')
const readoutMatrix = v.pipe(
  v.tuple([v.tuple([probability, probability]), v.tuple([probability, probability])]),
  v.check((rows) => rows.every(([a, b]) => Math.abs(a + b - 1) <= 1e-8), 'expected rows whose sum is 1'),
  v.transform(([[, one], [zero]]): ReadoutError => [one, zero]),
)

/** Schema of a noise file. */
const noiseFile = strict({
  gates: v.optional(
    v.array(
      strict({
        gate: names,
        qubits: v.optional(v.pipe(v.array(qubit), v.minLength(1), v.maxLength(MAX_CHANNEL_QUBITS))),
        errors: v.array(error),
      }),
    ),
    [],
  ),
  idle: v.optional(v.array(v.pipe(strict({ qubits: v.optional(v.array(qubit)), ...times }), areTimes())), []),
  readout: v.optional(v.array(strict({ qubits: v.optional(v.array(qubit)), matrix: readoutMatrix })), []),
  durations: v.optional(
    v.array(
      strict({
        gate: names,
        qubits: v.optional(v.pipe(v.array(qubit), v.minLength(1), v.maxLength(MAX_CHANNEL_QUBITS))),
        duration: seconds,
      }),
    ),
    [],
  ),
  dt: v.optional(seconds),
})
type NoiseFile = v.InferOutput<typeof noiseFile>

/** Reads a noise file; returns its problems when it is invalid, one line each: `gates.0.errors.1: …`. */
export function readNoiseFile(content: unknown, source: string): NoiseModel | { problems: string[] } {
  const parsed = v.safeParse(noiseFile, content, { abortPipeEarly: true })
  if (!parsed.success) return { problems: parsed.issues.map(problemOf) }
  const { gates, idle, readout } = parsed.output
  const rules = gates.flatMap(({ gate: named, qubits: on, errors }) => {
    const channels = once((qubits) => errors.flatMap((each) => each(qubits)))
    return [named].flat().map((gate): GateRule => ({ gate, qubits: on, channels }))
  })
  const problems = rules.flatMap((rule) => mismatchOf(rule))
  if (problems.length > 0) return { problems }
  return defineNoiseModel({
    source,
    gateNoiseOf: rules.length > 0 ? (name, qubits) => channelsByRules(rules, name, qubits) : undefined,
    relaxationOf: idle.length > 0 ? (each) => forQubit(idle, each) : undefined,
    readoutErrorOf: (each) => forQubit(readout, each)?.matrix ?? EXACT_READOUT,
  })
}

/**
 * The chip that a valid noise file is about: the qubits up to the last one that it names, and the couplings
 * whose gates it names. Undefined when its rules hold for all qubits.
 */
export function chipOfNoiseFile(content: unknown): DescribedChip | undefined {
  const { gates, idle, readout, durations } = v.parse(noiseFile, content, { abortPipeEarly: true })
  const named = [...gates, ...idle, ...readout, ...durations].flatMap(({ qubits = [] }) => qubits)
  if (named.length === 0) return undefined
  const last = named.reduce((one, other) => Math.max(one, other))
  const couplings = [...gates, ...durations].flatMap(({ gate, qubits: [one, other, ...more] = [] }) =>
    one === undefined || other === undefined || more.length > 0
      ? []
      : [gate].flat().map((name): DescribedChip['couplings'][number] => ({
          gate: name === '*' ? 'cz' : name,
          qubits: [one, other],
        })),
  )
  const keyOf = ({ gate, qubits }: (typeof couplings)[number]) => `${gate} ${qubits}`
  return {
    qubits: Array.from({ length: last + 1 }, (_, index) => {
      const times = forQubit(idle, index)
      return { name: `q${index}`, t1: times?.t1, t2: times?.t2 }
    }),
    couplings: [...new Map(couplings.map((each) => [keyOf(each), each])).values()],
    durationOf: (gate, on) => durationIn(durations, gate, on),
  }
}

/** The durations of a valid noise file that hold for all qubits: those of the slowest. */
export function timingOfNoiseFile(content: unknown): Timing {
  const { durations, dt } = v.parse(noiseFile, content, { abortPipeEarly: true })
  const longest = (operation: string) => {
    const own = durations.filter(({ gate }) => [gate].flat().includes(operation))
    return own.length === 0 ? undefined : Math.max(...own.map(({ duration }) => duration))
  }
  return { measure: longest('measure'), reset: longest('reset'), dt }
}

/** The duration of a gate on these qubits, or else of that gate on any, in s. */
function durationIn(
  durations: NoiseFile['durations'],
  gate: string,
  on: readonly number[],
): number | undefined {
  const own = durations.filter((each) => [each.gate].flat().some((name) => name === gate || name === '*'))
  const isHere = ({ qubits }: (typeof own)[number]) => qubits?.join() === on.join()
  return (own.find(isHere) ?? own.find(({ qubits }) => qubits === undefined))?.duration
}

/**
 * Creates the channels for each number of qubits once: simulation methods cache their analysis by channel
 * object.
 */
function once(make: Channels): Channels {
  const made = new Map<number, Channel[]>()
  return (qubits) => {
    const channels = made.get(qubits) ?? make(qubits)
    made.set(qubits, channels)
    return channels
  }
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  return path === null ? issue.message : `${path}: ${issue.message}`
}

/** The entry that names the qubit, or else the entry for all qubits. */
function forQubit<T extends { qubits?: number[] | undefined }>(
  entries: readonly T[],
  each: number,
): T | undefined {
  return (
    entries.find(({ qubits }) => qubits?.includes(each)) ?? entries.find(({ qubits }) => qubits === undefined)
  )
}

/**
 * The problem of a rule whose multi-qubit channel does not match the number of qubits of its gate, if any.
 */
function mismatchOf({ gate, qubits, channels }: GateRule): string[] {
  if (!qubits) return []
  const wrong = channels(qubits.length).find(
    (channel) => channel.qubits > 1 && channel.qubits !== qubits.length,
  )
  return wrong
    ? [`gates: the error of ${gate} acts on ${wrong.qubits} qubits, the gate on ${qubits.length}`]
    : []
}
