import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Routine } from '../../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { EPOCH, quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'
import { simulatedPair } from '../../../../support/tuning/simulated-pair.ts'
import { part } from '../../../../support/whole.ts'

const EDGE = 'q0_q1'

function named(name: string): Routine {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

/** A pair with shot noise, thermal population, damping and flux noise, but no drift. */
function pairTruth(hand: ChipTruth['hand'], seed: number, kind: 'parametric' | 'baseband' = 'parametric') {
  return { ...quietTruth(2, seed, kind), shots_noise: true, hand }
}

/** The gate of the only edge, and the distance of its |20⟩ from |11⟩. */
function gateOf(truth: ChipTruth) {
  const gate = truth.edges[EDGE]
  if (!gate) throw new Error(`no edge ${EDGE}`)
  const [high, low] = [qubitOf(truth, gate.high), qubitOf(truth, gate.low)]
  return { ...gate, gap: Math.abs(high.f01 - low.f01 + high.anharmonicity) }
}

/** Currents at which the coupler has the frequencies of its qubits, without their shift by the coupler. */
function crossingsOf(truth: ChipTruth): number[] {
  const gate = gateOf(truth)
  const turn = (current: number) => Math.cos((Math.PI * (current - gate.offset)) / gate.period)
  const coupler = gate.max_frequency * Math.sqrt(Math.abs(turn(gate.held_at_start)))
  const ends = [
    [qubitOf(truth, gate.high).f01, gate.coupling_high],
    [qubitOf(truth, gate.low).f01, gate.coupling_low],
  ] as const
  return ends.flatMap(([f01, coupling]) => {
    const bare = f01 + coupling ** 2 / (coupler - f01)
    const distance = (gate.period / Math.PI) * Math.acos((bare / gate.max_frequency) ** 2)
    return [gate.offset - distance, gate.offset + distance]
  })
}

describe('coupler_anticrossing', () => {
  const routine = named('coupler_anticrossing')
  const HANDS = [
    [-1, 6],
    [1, 8],
  ] as const

  test.each(HANDS.slice(0, part(HANDS.length, 1)))(
    'finds the coupler and leaves its current as it was, handedness %i, seed %i',
    async (hand, seed) => {
      using folder = temporaryFolder()
      const truth = pairTruth(hand, seed)
      const { offset, held_at_start } = gateOf(truth)
      const pair = simulatedPair(truth, { folder: folder.path })
      const { error, finding } = await pair.measure(routine)
      expect(error).toBeUndefined()
      const quality = finding?.quality ?? {}
      expect(Math.abs((quality['sweet_spot'] ?? 1) - offset)).toBeLessThan(10e-6)
      const crossings = Object.entries(quality).flatMap(([key, at]) =>
        key.startsWith('crossing_') ? [at] : [],
      )
      expect(crossings.length).toBeGreaterThan(1)
      for (const at of crossings) {
        expect(Math.min(...crossingsOf(truth).map((truly) => Math.abs(truly - at)))).toBeLessThan(20e-6)
      }
      // Four tenths of the way from the sweet spot to the first crossing, where the truth has it as well.
      const first = Math.min(...crossingsOf(truth).map((at) => Math.abs(at - offset)))
      const parking = pair.values.number(EDGE, 'bias.parking_current') ?? 0
      expect(Math.abs(Math.abs(parking - offset) - 0.4 * first)).toBeLessThan(10e-6)
      expect(Math.sign(parking - offset)).toBe(Math.sign(held_at_start - offset))
      expect(pair.chip.currents.heldIn(EDGE)).toBeCloseTo(held_at_start, 7)
      expect(readdirSync(folder.path)).toEqual([])
      await pair.chip.currents.ramp(EDGE, parking, { rate: 1 })
      expect((await pair.check(routine)).state).toBe('in')
      await pair.chip.currents.ramp(EDGE, parking + 40e-6, { rate: 1 })
      expect((await pair.check(routine)).state).toBe('out')
      const declared = new Set([...routine.reads, ...routine.priors])
      expect([...(pair.reads.get(routine.name) ?? [])].filter((path) => !declared.has(path))).toEqual([])
    },
  )

  test('fails on a coupler that does not respond, and leaves its current as it was', async () => {
    using folder = temporaryFolder()
    const events = [{ kind: 'dead' as const, at: EPOCH, target: EDGE, part: 'coupler' as const }]
    const truth = { ...pairTruth(1, 6), events }
    const pair = simulatedPair(truth, { folder: folder.path, maxAttempts: 1 })
    const { error } = await pair.measure(routine)
    expect(['no_signal', 'no_data', 'unresolved', 'edge_of_sweep']).toContain(error?.code ?? '')
    expect(pair.chip.currents.heldIn(EDGE)).toBeCloseTo(gateOf(truth).held_at_start, 7)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('fails without a source able to hold a current', async () => {
    const { error } = await simulatedPair(pairTruth(1, 6)).measure(routine)
    expect(error).toMatchObject({
      ...{ code: 'no_source', message: 'q0_q1: no source can hold a parking current' },
    })
  })
})

describe('the routines of a gate', () => {
  const driven = [
    [1, 1],
    [-1, 3],
  ] as const
  test.each(driven.slice(0, part(2, 1)))('find a driven gate, handedness %i, seed %i', async (hand, seed) => {
    const truth = pairTruth(hand, seed)
    const { gap, shift, exchange } = gateOf(truth)
    const pair = simulatedPair(truth, { edge: { 'cz.square_amp': 0.5, 'cz.square_duration': 20e-9 } })
    const value = (path: string) => pair.values.number(EDGE, path) ?? Number.NaN
    const coarse = await pair.measure(named('cz_parametrization'))
    expect(coarse.error).toBeUndefined()
    expect(Math.abs((coarse.finding?.quality?.['resonance'] ?? Number.NaN) - gap)).toBeLessThan(300e3)
    const amplitude = value('cz.square_amp')
    const fine = await pair.measure(named('cz_chevron'))
    expect(fine.error).toBeUndefined()
    expect(Math.abs(value('clock_freqs.cz') - gap - shift * amplitude ** 2)).toBeLessThan(100e3)
    const found = fine.finding?.quality?.['exchange'] ?? Number.NaN
    expect(Math.abs(found / (exchange * amplitude) - 1)).toBeLessThan(0.02)
    expect(Math.abs(value('cz.square_duration') - 1 / (2 * exchange * amplitude))).toBeLessThan(4e-9)
    for (const name of ['cz_parametrization', 'cz_chevron']) {
      expect([name, (await pair.check(named(name))).state]).toEqual([name, 'in'])
    }
    pair.values.set(EDGE, 'clock_freqs.cz', value('clock_freqs.cz') + 4e6)
    expect((await pair.check(named('cz_chevron'))).state).toBe('out')
    for (const { name, reads, priors } of ['cz_parametrization', 'cz_chevron'].map(named)) {
      const declared = new Set([...reads, ...priors])
      const undeclared = [...(pair.reads.get(name) ?? [])].filter((path) => !declared.has(path))
      expect([name, undeclared]).toEqual([name, []])
    }
  })

  test.each([4, 6].slice(0, part(2, 1)))(
    'find the amplitude of a gate without carrier, seed %i',
    async (seed) => {
      const truth = pairTruth(1, seed, 'baseband')
      const { gap, shift, exchange } = gateOf(truth)
      const resonant = Math.sqrt(-gap / shift)
      const pair = simulatedPair(truth, { edge: { 'cz.square_amp': 1.04 * resonant } })
      const { error, finding } = await pair.measure(named('cz_chevron'))
      expect(error).toBeUndefined()
      expect(Math.abs((pair.values.number(EDGE, 'cz.square_amp') ?? 0) / resonant - 1)).toBeLessThan(0.002)
      expect(Math.abs((finding?.quality?.['exchange'] ?? 0) / exchange - 1)).toBeLessThan(0.02)
      expect((await pair.check(named('cz_chevron'))).state).toBe('in')
    },
  )

  const farOff = [
    [0.95, -1, 6],
    [0.15, 1, 4],
  ] as const
  test.each(farOff.slice(0, part(2, 1)))(
    'search an amplitude that the file has far off, at %d',
    async (stored, hand, seed) => {
      const truth = pairTruth(hand, seed, 'baseband')
      const { gap, shift } = gateOf(truth)
      const pair = simulatedPair(truth, { edge: { 'cz.square_amp': stored } })
      const { error, attempts } = await pair.measure(named('cz_chevron'))
      expect([error, attempts]).toEqual([undefined, 2])
      const resonant = Math.sqrt(-gap / shift)
      expect(Math.abs((pair.values.number(EDGE, 'cz.square_amp') ?? 0) / resonant - 1)).toBeLessThan(0.002)
    },
  )

  test('find no amplitude of a gate without carrier whose coupler does not respond', async () => {
    const events = [{ kind: 'dead' as const, at: EPOCH, target: EDGE, part: 'coupler' as const }]
    const truth = { ...pairTruth(1, 6, 'baseband'), events }
    const { error, attempts } = await simulatedPair(truth, { edge: { 'cz.square_amp': 0.4 } }).measure(
      named('cz_chevron'),
    )
    expect([error?.code, attempts]).toEqual(['no_signal', 3])
  })

  test('accept nothing from a coupler that does not respond', async () => {
    const events = [{ kind: 'dead' as const, at: EPOCH, target: EDGE, part: 'coupler' as const }]
    const truth = { ...pairTruth(1, 6), events }
    const edge = { 'cz.square_amp': 0.5, 'clock_freqs.cz': gateOf(truth).gap }
    const pair = simulatedPair(truth, { edge, maxAttempts: 1 })
    for (const name of ['cz_parametrization', 'cz_chevron']) {
      const { error } = await pair.measure(named(name))
      expect([name, error?.code]).toEqual([name, 'no_signal'])
    }
  })

  test('sweep what the line can play, and decline a gate that it cannot', async () => {
    const truth = pairTruth(1, 1)
    const { gap } = gateOf(truth)
    const edge = { 'cz.square_amp': 0.5 }
    const routine = named('cz_parametrization')
    const cut = simulatedPair(truth, { edge, band: { min: 0, max: gap + 3e6 } })
    const { finding } = await cut.measure(routine)
    const axis = finding?.trace?.kind === 'map' ? finding.trace.x.values : []
    const ends = [Math.min(...axis), Math.max(...axis)].map((hz) => Math.round((hz - gap) / 1e3))
    expect(ends).toEqual([-15_000, 3_000])
    const beyond = simulatedPair(truth, { edge, band: { min: 0, max: 200e6 } })
    const { error } = await beyond.measure(routine)
    expect(error).toMatchObject({
      code: 'declined',
      message: expect.stringMatching(
        /^the gate cannot be played: frequency from 0.2\d+ GHz to 0.2\d+ GHz lies beyond what q0_q1:fl plays, 0 GHz to 0.2 GHz$/,
      ),
    })
  })
})
