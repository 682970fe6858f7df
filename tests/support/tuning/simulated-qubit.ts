import { silentLog } from '../../../src/base/index.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Heralds } from '../../../src/devices/tuning/herald.ts'
import type { CheckOutcome, Finding, Routine } from '../../../src/devices/tuning/routine.ts'
import { RunCurrents } from '../../../src/devices/tuning/walk/run-currents.ts'
import {
  measureTogether,
  type NodeOutcome,
  type NodeRunner,
  runNode,
} from '../../../src/devices/tuning/walk/run-node.ts'
import { type ChipValues, RunValues } from '../../../src/devices/tuning/walk/run-values.ts'
import { chipOf } from '../simulated-chip/chips.ts'

/** Values of a device file for a qubit of a chip whose readout is calibrated and whose drive is not. */
function designValues(truth: ChipTruth, name: string): Record<string, number> {
  const qubit = truth.qubits[name]
  if (!qubit) throw new Error(`no qubit ${name}`)
  const { readout } = qubit
  return {
    'clock_freqs.f01': Math.round((qubit.f01 + 7e6) / 1e6) * 1e6,
    'clock_freqs.readout': readout.frequency + readout.pulls[0] / 2,
    'measure.pulse_amp': 0.3 * readout.critical_amplitude,
    'measure.pulse_duration': 3e-6,
    'measure.acq_delay': 300e-9,
    'measure.integration_time': 2.5e-6,
    'rxy.amp180': 0.2,
    'rxy.motzoi': 0,
    'rxy.duration': 56e-9,
    'reset.duration': 500e-6,
  }
}

/** A simulated chip with routines to run on it, one after the other, by the given choices and sweeps. */
export function simulatedQubits(
  truth: ChipTruth,
  choices: Readonly<Record<string, string>> = {},
  axes: Readonly<Record<string, readonly number[]>> = {},
  absent: readonly string[] = [],
  heralds?: Heralds,
) {
  const { chip, clock } = chipOf(truth)
  const design = new Map(Object.keys(truth.qubits).map((name) => [name, designValues(truth, name)]))
  const described: ChipValues = {
    qubits: [...design.keys()],
    edges: [],
    has: (_, path) => path !== 'rxy.beta' && !absent.includes(path),
    value: (element, path) => design.get(element)?.[path],
  }
  const values = new RunValues(described)
  const signal = new AbortController().signal
  const reads = new Map<string, Set<string>>()
  let current = ''
  const runner: NodeRunner = {
    ...{
      instrument: chip,
      currents: new RunCurrents(undefined, 'run', signal),
      values,
      clock,
      log: silentLog,
    },
    ...{ signal, maxAttempts: 3, timeoutS: 900 },
    settingsOf: () => ({
      axis: (name) => axes[name] && { values: axes[name] },
      ...{ number: () => undefined, choice: (name) => choices[name] },
    }),
    heralds,
    onRead: (_, path) => reads.set(current, (reads.get(current) ?? new Set()).add(path)),
  }
  return {
    ...{ values, chip },
    /** Paths that each routine has read so far. */
    reads,
    /** Runs a routine and takes over what it found. */
    async measure(routine: Routine, target = 'q0'): Promise<NodeOutcome> {
      current = routine.name
      const [outcome] = await runNode(routine, [target], runner)
      if (!outcome) throw new Error('no outcome')
      const found: Finding['parameters'] = outcome.error ? {} : outcome.finding?.parameters
      for (const [path, { value }] of Object.entries(found ?? {})) values.set(target, path, value)
      for (const [path, value] of Object.entries(outcome.finding?.assumed ?? {}))
        values.set(target, path, value)
      return outcome
    },
    async check({ name, check, ...routine }: Routine, target = 'q0'): Promise<CheckOutcome> {
      current = name
      if (!check) throw new Error(`${name} has no check`)
      const attempt = { number: 1, failures: [] }
      const [ended] = await measureTogether(
        { name, check, ...routine },
        [target],
        runner,
        attempt,
        (context) => check(context),
      )
      if (!ended || 'error' in ended) throw ended?.error ?? new Error('no outcome')
      return ended.found
    },
  }
}
