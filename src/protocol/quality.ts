import * as v from 'valibot'
import { formatDuration, parseDuration } from '../base/index.ts'

/** The shortest and the longest age that a condition may state, ms. */
const AGE_MS = { min: 60_000, max: 31_536_000_000 } as const

const FRACTION = String.raw`(?:0|1|0?\.[0-9]{1,9}|1\.0{1,9})`
const above = fraction(`>=?${FRACTION}`, 'Expected > or >= and a number from 0 to 1, such as ">0.97"')
const below = fraction(`<=?${FRACTION}`, 'Expected < or <= and a number from 0 to 1, such as "<0.01"')

function fraction(pattern: string, message: string) {
  return v.pipe(
    v.string(),
    v.maxLength(20),
    v.transform((text) => text.replaceAll(' ', '')),
    v.regex(new RegExp(`^${pattern}$`), message),
    v.check(
      (text) => !/^(?:>1|<0)$/.test(text.replace(/\.0+$/, '')),
      'No value is beyond that; use >= or <=',
    ),
  )
}

/** A duration as a text; `range` names the limits (ms) for people. */
export function durationText({ min, max }: { min: number; max: number }, range: string) {
  return v.pipe(
    v.string(),
    v.maxLength(20),
    v.check((text) => {
      const ms = msOf(text) ?? 0
      return ms >= min && ms <= max
    }, `Expected a duration from ${range}, such as "2h"`),
  )
}

/** The ms of a duration; undefined for another text. */
function msOf(text: string): number | undefined {
  try {
    return parseDuration(text)
  } catch {
    return undefined
  }
}

/**
 * What a job requires of the qubits and pairs that it runs on. Only those that meet all of it are the chip
 * that the job is placed on. Devices that know it list the feature `quality_condition`.
 */
export const qualityCondition = v.pipe(
  v.strictObject({
    readout_fidelity: v.optional(
      v.pipe(above, v.description('Each qubit: 1 minus the mean probability of reading a wrong outcome')),
    ),
    two_qubit_error: v.optional(v.pipe(below, v.description('Average error of the gate of each pair'))),
    calibrated_within: v.optional(
      v.pipe(
        durationText(AGE_MS, '1m to 365d'),
        v.description('How long ago the newest value of each qubit and pair was measured, at most'),
      ),
    ),
  }),
  v.check((given) => Object.keys(given).length > 0, 'Expected at least one condition'),
  v.description('Quality of the qubits and pairs that the job may use; it waits until enough have it'),
)
export type QualityCondition = v.InferOutput<typeof qualityCondition>

/** What is known of the quality of a qubit or a pair. */
export interface PartQuality {
  /** Mean probability of reading a wrong outcome of a qubit. */
  readout_error?: number | undefined
  /** Average error of the gate of a pair. */
  error?: number | undefined
  /** UTC time at which its newest value was measured. */
  calibrated_at?: string | undefined
}

/**
 * What a part of a chip lacks of a condition, each as a part of a sentence: `readout fidelity 0.9612 is not
 * >0.97`. A value that is not known does not meet a condition. Empty for a part that meets it.
 * @param now ms since 1970
 */
export function shortfallsOf(
  kind: 'qubit' | 'pair',
  { readout_error, error, calibrated_at }: PartQuality,
  { readout_fidelity, two_qubit_error, calibrated_within }: QualityCondition,
  now: number,
): string[] {
  const [limit, name, value] =
    kind === 'qubit'
      ? ([
          readout_fidelity,
          'readout fidelity',
          readout_error === undefined ? undefined : 1 - readout_error,
        ] as const)
      : ([two_qubit_error, 'two-qubit error', error] as const)
  return [
    ...(limit === undefined || (value !== undefined && holds(value, limit))
      ? []
      : [
          value === undefined ? `its ${name} is not known` : `${name} ${shown(value, limit)} is not ${limit}`,
        ]),
    ...(calibrated_within === undefined ? [] : shortfallOfAge(calibrated_at, calibrated_within, now)),
  ]
}

function shortfallOfAge(at: string | undefined, within: string, now: number): string[] {
  const measured = at === undefined ? Number.NaN : Date.parse(at)
  if (Number.isNaN(measured)) return ['it is not known when it was calibrated']
  const age = Math.max(0, now - measured)
  if (age <= (msOf(within) ?? 0)) return []
  return [`calibrated ${formatDuration(Math.floor(age / 60_000) * 60_000)} ago, not within ${within}`]
}

/** Whether a value meets a limit such as `>0.97`. */
function holds(value: number, limit: string): boolean {
  const isStrict = !limit.includes('=')
  const bound = Number(limit.replace(/^[<>]=?/, ''))
  if (value === bound) return !isStrict
  return limit.startsWith('>') ? value > bound : value < bound
}

/** A value that misses a limit, with as many digits as show that. */
function shown(value: number, limit: string): string {
  for (let digits = 4; digits < 15; digits += 1) {
    const text = value.toFixed(digits)
    if (!holds(Number(text), limit)) return text
  }
  return String(value)
}
