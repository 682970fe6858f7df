import { describe, expect, test } from 'bun:test'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { bestPulse } from '../../../support/simulated-chip/best-pulse.ts'
import { qubitOf } from '../../../support/simulated-chip/experiments.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { coldQubit, coldTruth } from '../../../support/tuning/cold-qubit.ts'

/** Where the line of state 0 is for the drive at an amplitude: the nonlinear pull of a transmon. */
function groundLine({ readout }: ReturnType<typeof qubitOf>, isMirrored: boolean, amplitude: number): number {
  const saturation = Math.sqrt(1 + (amplitude / readout.critical_amplitude) ** 2)
  const shift = readout.lamb_shift * (1 / saturation - 1)
  return readout.frequency + (isMirrored ? -shift : shift)
}

function lineOf(truth: ChipTruth, name: string) {
  const line = truth.readout_lines[name]
  if (!line) throw new Error(`no readout line ${name}`)
  return line
}

describe('a cold chip', () => {
  const chips: [ChipTruth['hand'], number][] = [
    [1, 3],
    [-1, 5],
  ]
  test.each(chips)('of handedness %i, seed %i, is calibrated', async (hand, seed) => {
    using folder = temporaryFolder()
    const truth = coldTruth(seed, hand)
    const qubit = qubitOf(truth, 'q0')
    const { readout } = qubit
    const chip = coldQubit(folder.path, truth)
    const { status, errors, skipped, routines = [], benchmarks = [] } = await chip.calibrate('full')
    expect([status, errors, skipped]).toEqual(['success', [], []])
    expect(routines).toHaveLength(26)
    const values: Record<string, number> = {}
    for (const { parameters } of routines)
      for (const path of Object.keys(parameters ?? {})) values[path] = await chip.value(path)
    const off = (path: string, wanted: number) => Math.abs((values[path] ?? Number.NaN) - wanted)
    const relative = (path: string, wanted: number) => off(path, wanted) / wanted

    const { mirrored: isMirrored, delay } = lineOf(truth, readout.line)
    const ground = groundLine(qubit, isMirrored, values['measure.pulse_amp'] ?? 0)
    expect(off('clock_freqs.readout', ground)).toBeLessThan(0.1 * readout.linewidth)
    expect(relative('resonator.linewidth', readout.linewidth)).toBeLessThan(0.15)
    expect(off('measure.acq_delay', delay)).toBeLessThan(8.1e-9)
    for (const [at, pull] of readout.pulls.entries()) {
      const shift = (values[`resonator.readout_${at + 1}`] ?? 0) - (values['clock_freqs.readout'] ?? 0)
      expect(Math.abs(shift - (isMirrored ? -pull : pull))).toBeLessThan(0.1 * readout.linewidth)
    }

    expect(off('clock_freqs.f01', qubit.f01)).toBeLessThan(2_000)
    expect(off('clock_freqs.f12', qubit.f01 + qubit.anharmonicity)).toBeLessThan(10_000)
    const [pulse, pulse12] = [bestPulse(truth, 'q0', 0), bestPulse(truth, 'q0', 1)]
    expect(relative('rxy.amp180', pulse.amp180)).toBeLessThan(0.0015)
    expect(off('rxy.motzoi', pulse.motzoi)).toBeLessThan(0.005)
    expect(relative('r12.ef_amp180', pulse12.amp180)).toBeLessThan(0.003)
    expect(off('r12.ef_motzoi', pulse12.motzoi)).toBeLessThan(0.01)
    expect(relative('coherence.t1', qubit.t1)).toBeLessThan(0.2)
    expect(relative('coherence.t2_star', qubit.t2_star)).toBeLessThan(0.25)
    expect(relative('coherence.t2_echo', qubit.t2_echo)).toBeLessThan(0.25)

    const fidelityOf = (name: string) => benchmarks.find(({ protocol }) => protocol === name)?.fidelity
    expect(fidelityOf('readout_fidelity')).toBeGreaterThan(0.95)
    expect(fidelityOf('randomized_benchmarking')).toBeGreaterThan(0.998)

    // Nothing has changed since: every check is in, and a partial calibration has nothing to measure.
    const again = await chip.calibrate('partial')
    expect(again.notes?.filter((note) => note.includes(': check of'))).toEqual([])
    expect(again.routines).toEqual([])
  })
})
