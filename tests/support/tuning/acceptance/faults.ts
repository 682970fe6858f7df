import { silentLog } from '../../../../src/base/index.ts'
import { createDummyInstrument } from '../../../../src/devices/bench/dummy.ts'
import type { AcquisitionOf, Instrument } from '../../../../src/devices/bench/instrument.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { createRng } from '../../../../src/devices/index.ts'
import type { AcquisitionKind, Program } from '../../../../src/devices/pulse/schedule.ts'
import type { Routine } from '../../../../src/devices/tuning/routine.ts'
import { RunCurrents } from '../../../../src/devices/tuning/walk/run-currents.ts'
import { runNode } from '../../../../src/devices/tuning/walk/run-node.ts'
import { RunValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import { FakeClock } from '../../fake-clock.ts'
import { chipOf, EPOCH } from '../../simulated-chip/chips.ts'
import { RecordingMover } from '../scripted.ts'
import { calibratedValues } from './calibrated-values.ts'

/** What an instrument returns instead of a measurement, or of what it measures. */
export const FAULTS = ['noise', 'zeros', 'not a number', 'clipped', 'dead'] as const
export type Fault = (typeof FAULTS)[number]

/** Faults that are the same every time. */
export const CONSTANT: ReadonlySet<Fault> = new Set<Fault>(['zeros', 'not a number'])

type Rng = ReturnType<typeof createRng>

/** Standard deviation of the noise, V, and the value at which an input clips, V, with its resolution. */
const NOISE_V = 2e-4
const RAIL_V = 0.5
const STEP_V = 2.4e-4

/** A sample of a fault; `level` is what the input would see without noise. */
const SAMPLES: Record<Exclude<Fault, 'dead'>, (rng: Rng, level: number) => number> = {
  noise: (rng, level) => level + NOISE_V * rng.normal(),
  zeros: () => 0,
  'not a number': () => Number.NaN,
  // At the rail an input shows the rail, or one step below it.
  clipped: (rng, level) => Math.sign(level) * (RAIL_V - (rng.next() < 0.5 ? STEP_V : 0)),
}

/** An instrument that measures nothing: every sample is that of a fault. */
function faultyInstrument(fault: Exclude<Fault, 'dead'>, seed: number): Instrument {
  const rng = createRng(seed)
  const [offsetI, offsetQ] = [0.01 * rng.normal(), 0.01 * rng.normal()]
  const sample = SAMPLES[fault]
  const dummy = createDummyInstrument()
  const fill = <Value extends AcquisitionOf[AcquisitionKind]>(value: Value): Value => {
    if ('re' in value) return { re: sample(rng, offsetI), im: sample(rng, offsetQ) } as Value
    const of = (from: Float64Array, level: number) => from.map(() => sample(rng, level))
    return { i: of(value.i, offsetI), q: of(value.q, offsetQ) } as Value
  }
  return {
    ...dummy,
    async run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal) {
      const zeros = await dummy.run(program, signal)
      return zeros.map((point) => point.map(fill))
    },
  }
}

/** Routines that find what they look for on a chip whose qubits do not react: the line is there. */
const SEES_NO_QUBIT: ReadonlySet<string> = new Set(['time_of_flight'])
/** Routines that need nothing but a resonator: for them, it is the resonator that is dead. */
const RESONATOR_ONLY: ReadonlySet<string> = new Set(['resonator_spectroscopy', 'punchout'])
/** Routines that need the coupler to react: for them, it is stuck on every second chip. */
const NEEDS_COUPLER: ReadonlySet<string> = new Set([
  ...['coupler_anticrossing', 'cz_parametrization', 'cz_chevron', 'cz_calibration'],
])

/** Whether this routine can distinguish a fault from a healthy measurement. */
export function appliesTo(fault: Fault, { name }: Routine): boolean {
  return fault !== 'dead' || !SEES_NO_QUBIT.has(name)
}

function deadChip(truth: ChipTruth, { name }: Routine, seed: number): Instrument {
  const isStuck = NEEDS_COUPLER.has(name) && seed % 2 === 1
  const ofQubit = RESONATOR_ONLY.has(name) ? ('resonator' as const) : ('drive' as const)
  const part = isStuck ? ('coupler' as const) : ofQubit
  const events = Object.keys(isStuck ? truth.edges : truth.qubits).map((target) => ({
    ...{ kind: 'dead' as const, at: EPOCH, target, part },
  }))
  return chipOf({ ...truth, events }).chip
}

/** Runs a routine on an instrument with a fault: what it accepted all the same, or undefined. */
export async function acceptedDespite(
  fault: Fault,
  routine: Routine,
  { truth, seed }: { truth: ChipTruth; seed: number },
): Promise<string | undefined> {
  const values = calibratedValues(truth)
  const target = routine.kind === 'edge' ? values.edges[0]?.name : values.qubits[0]
  const instrument = fault === 'dead' ? deadChip(truth, routine, seed) : faultyInstrument(fault, seed)
  const signal = new AbortController().signal
  const mover = new RecordingMover(values.edges.map(({ name }) => name))
  const [outcome] = await runNode(routine, [target ?? ''], {
    ...{ instrument, values: new RunValues(values), clock: new FakeClock(Date.parse(EPOCH)), log: silentLog },
    ...{ currents: new RunCurrents(mover, 'run', signal), signal, maxAttempts: 3, timeoutS: 900 },
    settingsOf: () => ({ axis: () => undefined, number: () => undefined }),
  })
  if (!outcome) throw new Error('no outcome')
  if (outcome.error?.code === 'internal') throw new Error(`${routine.name}: ${outcome.error.message}`)
  const { finding } = outcome
  if (outcome.error || !finding) return undefined
  const { parameters = {}, benchmark } = finding
  const found = Object.entries(parameters).map(([path, { value }]) => `${path} ${JSON.stringify(value)}`)
  if (benchmark) found.push(`${benchmark.metric} ${benchmark.fidelity ?? benchmark.error}`)
  return found.length > 0 ? found.join(', ') : undefined
}
