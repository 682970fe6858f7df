import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Heralds } from '../../../src/devices/tuning/herald.ts'
import { bestPulse } from '../simulated-chip/best-pulse.ts'
import { quietTruth } from '../simulated-chip/chips.ts'
import { qubitOf } from '../simulated-chip/experiments.ts'
import { gateTruth } from './gate-truth.ts'
import { simulatedPair } from './simulated-pair.ts'

const EDGE = 'q0_q1'

/** Amplitude of half the turn on a line that compresses. */
function half(full: number, compression: number): number {
  const wanted = (full * (1 - compression * full ** 2)) / 2
  let amplitude = wanted
  for (let round = 0; round < 20; round++) amplitude = wanted / (1 - compression * amplitude ** 2)
  return amplitude
}

interface GateOptions {
  hand: ChipTruth['hand']
  seed: number
  kind?: 'parametric' | 'baseband'
  /** Distance of the gate in the file from its resonance, Hz. */
  detuning?: number
  /** T1 of the upper qubit now, s; the file keeps another. */
  shortT1?: number
  /** Changes the truth before anything follows from it. */
  adjust?: (truth: ChipTruth) => void
  /** Takes how well shots begin with a reading; without it, all wait. */
  heralds?: Heralds
}

/**
 * A simulated pair with noise of shots whose device file has the best pulses of both qubits and the gate
 * about where a chevron finds it: the duration on the grid of 4 ns, the frequency or the amplitude a little
 * off.
 */
export function gatePair({
  hand,
  seed,
  kind = 'parametric',
  detuning = 80e3,
  shortT1,
  adjust,
  heralds,
}: GateOptions) {
  const truth: ChipTruth = { ...quietTruth(2, seed, kind), shots_noise: true, hand }
  adjust?.(truth)
  const gate = truth.edges[EDGE]
  if (!gate) throw new Error(`no edge ${EDGE}`)
  const [high, low] = [qubitOf(truth, gate.high), qubitOf(truth, gate.low)]
  const measuredT1 = new Map(Object.entries(truth.qubits).map(([name, { t1 }]) => [name, t1]))
  if (shortT1 !== undefined) high.t1 = shortT1
  const gap = Math.abs(high.f01 - low.f01 + high.anharmonicity)
  const isTone = kind === 'parametric'
  const amplitude = isTone ? 0.5 : Math.sqrt(-gap / gate.shift) * (1 + detuning / (2 * gap))
  const exchange = gate.exchange * (isTone ? amplitude : 1)
  const pair = simulatedPair(truth, {
    heralds,
    edge: {
      'cz.square_amp': amplitude,
      'cz.square_duration': Math.round(1 / (2 * exchange) / 4e-9) * 4e-9,
      'cz.parent_phase_correction': 0,
      'cz.child_phase_correction': 0,
      ...(isTone && { 'clock_freqs.cz': gap + gate.shift * amplitude ** 2 + detuning }),
    },
  })
  for (const name of Object.keys(truth.qubits)) {
    const qubit = qubitOf(truth, name)
    const [drive, upper] = [bestPulse(truth, name, 0), bestPulse(truth, name, 1)]
    const values = {
      ...{
        'rxy.amp180': drive.amp180,
        'rxy.motzoi': drive.motzoi,
        'coherence.t1': measuredT1.get(name) ?? 0,
      },
      'fine.amp90': half(drive.amp180, qubit.compression),
      ...{ 'r12.ef_amp180': upper.amp180, 'r12.ef_motzoi': upper.motzoi },
    }
    for (const [path, value] of Object.entries(values)) pair.values.set(name, path, value)
  }
  const value = (path: string) => pair.values.number(EDGE, path) ?? Number.NaN
  const truthNow = () =>
    gateTruth(pair.chip.conditions(), EDGE, {
      frequency: isTone ? value('clock_freqs.cz') : 0,
      ...{ amplitude: value('cz.square_amp'), duration: value('cz.square_duration') },
    })
  return {
    ...{ pair, value },
    /** The truth about the gate that the values now describe. */
    truthNow,
    /** Gives the gate the corrections that cancel its true phases. */
    correctPhases() {
      const { local } = truthNow()
      pair.values.set(EDGE, 'cz.parent_phase_correction', -(local['q0'] ?? 0))
      pair.values.set(EDGE, 'cz.child_phase_correction', -(local['q1'] ?? 0))
    },
  }
}
