import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { compileProgram } from '../../../../src/devices/bench/sequencer/compile/compile-program.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { readBoth } from '../../../../src/devices/tuning/measure/pair/joint-readout.ts'
import { leftOfPair } from '../../../../src/devices/tuning/measure/pair/pair-remainder.ts'
import { allShotsOf, shotsOf } from '../../../../src/devices/tuning/measure/shots.ts'
import { defineRoutine } from '../../../../src/devices/tuning/routine.ts'
import { czLocalPhases } from '../../../../src/devices/tuning/routines/edge/cz_local_phases.ts'
import { RunHeralds } from '../../../../src/devices/tuning/run/run-heralds.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { assemble } from '../../../support/sequencer/language/assemble.ts'
import { qubitOf } from '../../../support/simulated-chip/experiments.ts'
import { gatePair } from '../../../support/tuning/gate-pair.ts'
import { LONG_LIVED, longLived, RESET_S } from '../../../support/tuning/long-lived-qubit.ts'
import { RUNS_WHOLE } from '../../../support/whole.ts'

setDefaultTimeout(120_000)

/** A pair of very good qubits, and the log of its shots. */
function longLivedPair() {
  const heralds = new RunHeralds(new FakeClock())
  const adjust = ({ qubits }: ChipTruth) => {
    for (const qubit of Object.values(qubits)) Object.assign(qubit, LONG_LIVED)
  }
  const gate = gatePair({ hand: 1, seed: 1, heralds, adjust })
  for (const qubit of ['q0', 'q1']) gate.pair.values.set(qubit, 'reset.duration', RESET_S)
  return { ...gate, heralds }
}

/** What a routine finds, and its standard error. */
const FOUND = [
  ['ramsey_correction', 'clock_freqs.f01'],
  ['t2', 'coherence.t2_star'],
  ['motzoi_parameter', 'rxy.motzoi'],
  ['n_rabi_oscillations', 'rxy.amp180'],
] as const

describe('shots that begin with a reading instead of a long wait', () => {
  const seed = Number(process.env['SVC_TEST_SEED'] ?? randomInt(2 ** 31))
  test(`find what shots with full waits find, in a tenth of the time (SVC_TEST_SEED=${seed})`, async () => {
    const [heralded, waiting] = [longLived(seed), longLived(seed, { isHeralded: false })]
    // The twin that shares no judged reading between its programs.
    const forgetful = longLived(seed, { isForgetful: true })
    for (const [name, path] of FOUND) {
      const outcomes = [
        await heralded.measure(name),
        await waiting.measure(name),
        await forgetful.measure(name),
      ]
      expect([name, ...outcomes.map(({ error }) => error?.message)]).toEqual([
        name,
        ...Array(3).fill(undefined),
      ])
      const [one, ...others] = outcomes.map(({ finding }) => finding?.parameters?.[path])
      for (const other of others) {
        const error = Math.hypot(one?.error ?? Number.NaN, other?.error ?? Number.NaN)
        expect([name, Math.abs(Number(one?.value) - Number(other?.value)) < 5 * error]).toEqual([name, true])
        // As good as before, not only as wide.
        expect(one?.error).toBeLessThan(1.5 * (other?.error ?? 0))
      }
    }
    expect(heralded.seconds()).toBeLessThan(waiting.seconds() / 10)
    expect(heralded.judgements()).toBeLessThan(forgetful.judgements())
    expect(heralded.seconds()).toBeLessThan(forgetful.seconds())
    const [note, ...others] = heralded.heralds.notes()
    expect(others).toEqual([])
    const share = /^q0: shots began with a reading in 0 instead of a full wait; at most (\S+) % of them/.exec(
      note ?? '',
    )?.[1]
    expect(Number(share)).toBeWithin(0, 1)
    expect(waiting.heralds.notes()).toEqual([])
  })

  test('are judged once for all routines, and again when a value or the readout itself moves, or with time', async () => {
    const qubit = longLived(4)
    const judgedFor = async () => {
      const before = qubit.judgements()
      const { error, finding } = await qubit.measure('all_xy')
      expect(error?.message).toBeUndefined()
      expect(finding?.benchmark?.error).toBeLessThan(0.02)
      return qubit.judgements() - before
    }
    expect([await judgedFor(), await judgedFor()]).toEqual([1, 0])

    qubit.values.set('q0', 'measure.pulse_amp', 0.9 * (qubit.values.number('q0', 'measure.pulse_amp') ?? 0))
    expect([await judgedFor(), await judgedFor()]).toEqual([1, 0])

    qubit.values.set('q0', 'rxy.amp180', 1.001 * (qubit.values.number('q0', 'rxy.amp180') ?? 0))
    expect([await judgedFor(), await judgedFor()]).toEqual([1, 0])

    // No value says so: hardly a reading is where it was.
    qubitOf(qubit.truth, 'q0').readout.phase += 1.2
    expect([await judgedFor(), await judgedFor()]).toEqual([1, 0])

    await qubit.clock.advance(31 * 60_000)
    expect([await judgedFor(), await judgedFor()]).toEqual([1, 0])
  })

  test('fail with the figures where none of them is kept', async () => {
    const qubit = longLived(4)
    const { run } = qubit.chip
    qubit.chip.run = async (program, signal) => {
      // Each time after it was judged, the readout turns by a third.
      if (program.points.length > 3) qubitOf(qubit.truth, 'q0').readout.phase += (2 * Math.PI) / 3
      return await run(program, signal)
    }
    const { error } = await qubit.measure('all_xy')
    expect(error?.message).toMatch(
      /^no shot of point 1 of \d+ is kept: none of \d{4} readings is close to those of 0 of q0, where \d\d % were/,
    )
  })

  if (RUNS_WHOLE)
    test('are as many as wanted, also above the shots of one program', async () => {
      const qubit = longLived(4)
      const shots = 500_000
      let kept = 0
      const many = defineRoutine({
        ...{ name: 'many', kind: 'qubit', size: { points: 1, shots } },
        *measure(context) {
          const points = [context.schedule().measure('q0').build()]
          const [found] = yield* shotsOf(context, points, shots, { mayHerald: true })
          kept = found?.re.length ?? 0
          return { benchmark: { metric: 'none', fidelity: 1, error: 0, fidelityError: 0 } }
        },
      })
      expect((await qubit.measureRoutine(many)).error?.message).toBeUndefined()
      for (const { shots: each } of qubit.programs.slice(-2)) expect(each).toBeWithin(500_000, 1_000_001)
      expect(kept / shots).toBeWithin(0.95, 1.05)
    })

  if (RUNS_WHOLE)
    test('finds the error of a gate without what the shot before has left', async () => {
      const qubit = longLived(4)
      qubit.values.set('q0', 'coherence.t1', LONG_LIVED.t1)
      const { error, finding } = await qubit.measure('randomized_benchmarking')
      expect(error?.message).toBeUndefined()
      const { error: found = Number.NaN, fidelityError = Number.NaN } = finding?.benchmark ?? {}
      expect(Math.abs(found / qubit.gateError - 1)).toBeLessThan(0.1 + (3 * fidelityError) / qubit.gateError)
    })

  test('find both ends of a gate in 0, also one that is not driven', async () => {
    const { pair, value, truthNow, heralds } = longLivedPair()
    const { error, finding } = await pair.measure(czLocalPhases)
    expect(error?.message).toBeUndefined()
    const { local } = truthNow()
    for (const [qubit, role] of [
      ['q0', 'parent'],
      ['q1', 'child'],
    ] as const) {
      const path = `cz.${role}_phase_correction`
      // The correction is minus the phase; one degree is what full waits leave of slow noise and drift.
      const distance = Math.abs(value(path) + (local[qubit] ?? Number.NaN))
      const spread = finding?.parameters?.[path]?.error ?? Number.NaN
      expect(distance).toBeLessThan(1 + 4 * spread)
      expect(spread).toBeLessThan(1)
    }
    expect(heralds.notes().map((note) => note.slice(0, 16))).toEqual(['q0: shots began ', 'q1: shots began '])
  })

  test('leave the correction of other shots of the same routine, which waited', async () => {
    const { pair } = longLivedPair()
    const left: (readonly number[])[] = []
    const mixed = defineRoutine({
      ...{ name: 'mixed', kind: 'edge', size: { points: 2, shots: 10 } },
      *measure(context) {
        const { parent, target } = context
        for (const [delay, hasGate] of [
          [0, false],
          [2.3e-3, false],
          // Fewer are kept with a gate, which may leave level 2: those that are dropped would take longer.
          [2.3e-3, true],
          [RESET_S / 5, false],
        ] as const) {
          const schedule = context.schedule().rotate(parent.name, Math.PI).delay(parent.name, delay)
          const points = [readBoth(hasGate ? schedule.cz(target) : schedule, context)]
          left.push(leftOfPair(context, yield* allShotsOf(context, points, 10, { mayHerald: true })))
        }
        return { benchmark: { metric: 'none', fidelity: 1, error: 0, fidelityError: 0 } }
      },
    })
    expect((await pair.measure(mixed)).error?.message).toBeUndefined()
    const share = Math.exp(-RESET_S / LONG_LIVED.t1)
    expect(left.flat()).toEqual([0, 0, 0, 0, share, share, share, share])
  })

  test('are found with more power where that of the magnitude does not tell the levels apart', async () => {
    const qubit = longLived(4)
    qubitOf(qubit.truth, 'q0').readout.noise *= 2
    const { error } = await qubit.measure('all_xy')
    expect(error?.message).toBeUndefined()
    expect(qubit.programs.map(({ kind }) => kind)).not.toContain('average')
    expect(qubit.heralds.notes()).toEqual([expect.stringMatching(/^q0: shots began with a reading/)])
  })

  test('are not taken where a reading does not tell the levels apart, which is said', async () => {
    const qubit = longLived(4)
    qubitOf(qubit.truth, 'q0').readout.noise *= 16
    const { error } = await qubit.measure('all_xy')
    expect(error?.message).toBeUndefined()
    expect(qubit.programs.at(-1)).toMatchObject({ kind: 'average', reset_ns: RESET_S * 1e9 })
    expect(qubit.heralds.notes()[0]).toMatch(
      /^q0: shots of some routines waited for a full reset: \d(\.\d+)? standard deviations of a reading/,
    )
  })

  test('are not taken where waits are short', async () => {
    const qubit = longLived(4, { reset: 500e-6 })
    await qubit.measure('all_xy')
    expect(qubit.programs.map(({ kind }) => kind)).toEqual(['average'])
    expect(qubit.heralds.notes()).toEqual([])
  })

  test('are programs that the sequencers of a cluster play', async () => {
    const qubit = longLived(4)
    await qubit.measure('all_xy')
    const last = qubit.programs.at(-1)
    if (!last) throw new Error('nothing was played')
    expect(last).toMatchObject({ kind: 'shots' })
    expect(last.points[0]?.acquisitions).toHaveLength(2)
    const memory = () => ({ instructions: 16_384, samples: 16_384, bins: 131_072 })
    const ports = { ncoHz: () => 100e6, markers: () => 1, memory, delayNs: () => 0 }
    const sequences = [...compileProgram(last, ports)].flatMap(({ ports: all }) => [...all.values()])
    expect(sequences.flatMap(({ sequence }) => assemble(sequence.program).problems)).toEqual([])
    // Two windows of one length a shot, each with bins of its own.
    const placed = sequences.filter(({ integrationNs }) => integrationNs !== undefined)
    expect(placed[0]?.placements).toHaveLength(2 * last.points.length)
  })
})
