import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { CouplerCurrents } from '../../../src/devices/bench/current/coupler-currents.ts'
import { CurrentJournal } from '../../../src/devices/bench/current/journal.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Heralds } from '../../../src/devices/tuning/herald.ts'
import type { Routine } from '../../../src/devices/tuning/routine.ts'
import { RunCurrents } from '../../../src/devices/tuning/walk/run-currents.ts'
import {
  measureTogether,
  type NodeOutcome,
  type NodeRunner,
  runNode,
} from '../../../src/devices/tuning/walk/run-node.ts'
import { type ChipValues, RunValues } from '../../../src/devices/tuning/walk/run-values.ts'
import { chipOf } from '../simulated-chip/chips.ts'
import { PI_NS, piAmplitude, qubitOf } from '../simulated-chip/experiments.ts'

/** Amplitude of a pi pulse on a line that compresses. */
function compressedPiAmplitude(truth: ChipTruth, name: string): number {
  const { compression } = qubitOf(truth, name)
  const wanted = piAmplitude(qubitOf(truth, name))
  let amplitude = wanted
  for (let round = 0; round < 20; round++) amplitude = wanted / (1 - compression * amplitude ** 2)
  return amplitude
}

/** Values of a device file for a qubit that is calibrated: what its truth says. */
export function calibratedValues(truth: ChipTruth, name: string): Record<string, number> {
  const { f01, anharmonicity, quadrature, readout, t2_star } = qubitOf(truth, name)
  return {
    'clock_freqs.f01': f01,
    'clock_freqs.f12': f01 + anharmonicity,
    'clock_freqs.readout': readout.frequency + readout.pulls[0] / 2,
    'measure.pulse_amp': 0.3 * readout.critical_amplitude,
    'measure.pulse_duration': 3e-6,
    'measure.acq_delay': 300e-9,
    'measure.integration_time': 2.5e-6,
    'rxy.amp180': compressedPiAmplitude(truth, name),
    'rxy.motzoi': truth.hand / (4 * Math.PI * anharmonicity * (PI_NS / 8) * 1e-9) / quadrature,
    'rxy.duration': PI_NS * 1e-9,
    'reset.duration': 500e-6,
    'coherence.t2_star': t2_star,
  }
}

interface PairOptions {
  /** Values of the edge. */
  readonly edge?: Readonly<Record<string, number>>
  /** Folder of the journal of currents; without it nothing holds a current. */
  readonly folder?: string
  readonly maxAttempts?: number
  /** Takes how well shots begin with a reading; without it, all wait. */
  readonly heralds?: Heralds | undefined
  /** What the line of the gate plays, Hz. */
  readonly band?: { readonly min: number; readonly max: number }
}

/** A simulated pair whose qubits are calibrated, with routines of its edge to run. */
export function simulatedPair(
  truth: ChipTruth,
  { edge = {}, folder, maxAttempts = 3, band, heralds }: PairOptions = {},
) {
  const { chip, clock } = chipOf(truth)
  const name = Object.keys(truth.edges)[0] ?? ''
  const isParametric = truth.edges[name]?.kind === 'parametric'
  const design = new Map<string, Readonly<Record<string, number>>>(
    Object.keys(truth.qubits).map((qubit) => [qubit, calibratedValues(truth, qubit)]),
  )
  design.set(name, edge)
  const [parent = '', child = ''] = design.keys()
  const described: ChipValues = {
    qubits: [parent, child],
    edges: [{ name, parent, child }],
    has: (_, path) => path !== 'rxy.beta' && (path !== 'clock_freqs.cz' || isParametric),
    value: (element, path) => design.get(element)?.[path],
  }
  const values = new RunValues(described)
  const stop = new AbortController()
  const couplers =
    folder === undefined
      ? undefined
      : new CouplerCurrents({
          couplers: [{ edge: name, address: { source: 'simulated' } }],
          source: chip.currents,
          journal: new CurrentJournal(join(folder, 'bias.journal.json')),
          ...{ clock, log: silentLog },
        })
  const reads = new Map<string, Set<string>>()
  let current = ''
  const runner: NodeRunner = {
    ...{ instrument: chip, currents: new RunCurrents(couplers, 'run', stop.signal), values, clock },
    ...{ log: silentLog, signal: stop.signal, maxAttempts, timeoutS: 900, heralds },
    limits: {
      band: (_, line) => (band && line === 'coupling' ? { ...band, by: `${name}:fl plays` } : undefined),
      currents: () => undefined,
    },
    settingsOf: () => ({ axis: () => undefined, number: () => undefined }),
    onRead(element, path) {
      const declared = element === name ? path : `end:${path}`
      reads.set(current, (reads.get(current) ?? new Set()).add(declared))
    },
  }
  return {
    ...{ chip, clock, values, reads, stop, edge: name },
    /** Runs a routine on the edge and takes over what it found. */
    async measure(routine: Routine): Promise<NodeOutcome> {
      current = routine.name
      const [outcome] = await runNode(routine, [name], runner)
      if (!outcome) throw new Error('no outcome')
      const found = outcome.error ? {} : (outcome.finding?.parameters ?? {})
      for (const [path, { value }] of Object.entries(found)) values.set(name, path, value)
      return outcome
    },
    async check(routine: Routine) {
      const { check } = routine
      if (!check) throw new Error(`${routine.name} has no check`)
      current = routine.name
      const attempt = { number: 1, failures: [] }
      const begin = (context: Parameters<typeof check>[0]) => check(context)
      const [ended] = await measureTogether(routine, [name], runner, attempt, begin)
      if (!ended || 'error' in ended) throw ended?.error ?? new Error('no outcome')
      return ended.found
    },
  }
}
