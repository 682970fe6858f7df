import { expect, test } from 'bun:test'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { gatePair } from '../../../../support/tuning/gate-pair.ts'
import { RUNS_WHOLE } from '../../../../support/whole.ts'

const ROUTINES = ['cz_parametrization', 'cz_chevron', 'cz_calibration', 'cz_local_phases']
const FACTORS = [0.7, 0.9, 0.97, 0.99, 1.01, 1.03, 1.1, 1.3]
const PHASES = ['cz.parent_phase_correction', 'cz.child_phase_correction']
/** What a check must see: an error of a gate beyond that of the calibrated one, and of a phase. */
const SEEN = { error: 0.01, degrees: 15 }

type Kind = 'parametric' | 'baseband'
const PATHS: Record<Kind, string[]> = {
  parametric: ['clock_freqs.cz', 'cz.square_amp', 'cz.square_duration', ...PHASES],
  baseband: ['cz.square_amp', 'cz.square_duration', ...PHASES],
}
const SOME: [Kind, string, number][] = [
  ['parametric', 'clock_freqs.cz', 1.1],
  ['baseband', 'cz.square_amp', 0.9],
]
const CASES = RUNS_WHOLE
  ? (['parametric', 'baseband'] as const).flatMap((kind) =>
      PATHS[kind].flatMap((path) => FACTORS.map((factor) => [kind, path, factor] as const)),
    )
  : SOME

/** A pair with a calibrated gate. */
async function calibrated(kind: Kind) {
  const gate = gatePair({ hand: 1, seed: 5, kind, detuning: 0 })
  const { pair } = gate
  const routines = BUILT_IN_ROUTINES.filter(
    ({ name }) => ROUTINES.includes(name) && (kind === 'parametric' || name !== 'cz_parametrization'),
  )
  for (const routine of routines.slice(-2)) expect((await pair.measure(routine)).error).toBeUndefined()
  return {
    gate,
    pair,
    routines,
    good: Object.fromEntries(PATHS[kind].map((path) => [path, gate.value(path)])),
  }
}
const pairs = { parametric: calibrated('parametric'), baseband: calibrated('baseband') }

test.each(CASES)(
  'a check sees a %s gate with %s times %p, and what it names mends it',
  async (kind, path, factor) => {
    const { gate, pair, routines, good } = await pairs[kind]
    for (const [each, value] of Object.entries(good)) pair.values.set(pair.edge, each, value)
    const [before, right] = [gate.truthNow(), good[path] ?? Number.NaN]
    pair.values.set(pair.edge, path, right * factor)
    const outcomes = []
    for (const routine of routines) outcomes.push((await pair.check(routine)).state)
    const first = outcomes.indexOf('out')
    const isPhase = PHASES.includes(path)
    const isBad = isPhase
      ? Math.abs(right * (factor - 1)) > SEEN.degrees
      : gate.truthNow().error - before.error > SEEN.error
    if (isBad) expect(first).not.toBe(-1)
    if (isPhase && isBad) expect(ROUTINES.at(first - routines.length)).toBe('cz_local_phases')
    if (first === -1) return
    for (const routine of routines.slice(first)) expect((await pair.measure(routine)).error).toBeUndefined()
    const { error, local } = gate.truthNow()
    expect(error).toBeLessThan(before.error + SEEN.error / 2)
    const phases = PHASES.map((each, at) => gate.value(each) + (local[`q${at}`] ?? Number.NaN))
    for (const degrees of phases) expect(Math.abs(((degrees + 540) % 360) - 180)).toBeLessThan(5)
  },
  60_000,
)
