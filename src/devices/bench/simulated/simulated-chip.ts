import type { Clock } from '../../../base/index.ts'
import { checkProgram } from '../../pulse/check-program.ts'
import type { AcquisitionKind, Program, Schedule } from '../../pulse/schedule.ts'
import type { AcquisitionOf, Acquisitions, Instrument } from '../instrument.ts'
import type { PropagatorCache } from './dynamics/propagator-cache.ts'
import { createHeldCurrents, type HeldCurrents } from './held-currents.ts'
import { ContentHash, DRAW, Draws } from './random.ts'
import type { Pointers } from './readout/pointers.ts'
import { RegisterEvolution } from './run/evolve-register.ts'
import { foundIn, type RecordOptions } from './run/found.ts'
import { assertPlayable, isExact, isPlayable, leastSecondsOf, playRegister } from './run/play-register.ts'
import { type Reading, readingsOf } from './run/readings.ts'
import { addSignals, type Recordable, recordRegister, type Signals } from './run/record.ts'
import { type PulsesByPort, registersOf, sortPulses } from './run/registers.ts'
import { Repetitions } from './run/repetitions.ts'
import { drawChain, isChain } from './run/shot-chain.ts'
import { type Conditions, conditionsOf } from './state/conditions.ts'
import type { ChipTruth } from './truth/chip-truth.ts'
import { Drift } from './truth/drift.ts'
import { truthAt } from './truth/truth-at.ts'
import { Turns } from './turns.ts'

/** An instrument with a simulated chip, and the source of the currents of its couplers. */
export interface SimulatedChip extends Instrument {
  readonly currents: HeldCurrents
  /** The chip as it is now: what tests compare a calibration with, and no routine may see. */
  conditions(): Conditions
}

interface SimulatedChipOptions {
  truth: ChipTruth
  clock: Clock
  /** Currents of edges at the start other than those of the truth, A. */
  initialCurrents?: ReadonlyMap<string, number>
}

/**
 * A chip that plays schedules: three levels a transmon, a density matrix for one and for pairs that a coupler
 * joins, drawn courses of a state vector for more of them and for measurements in the middle; readout by the
 * response of its resonators. Resets and repetitions take no time.
 */
export function createSimulatedChip(options: SimulatedChipOptions): SimulatedChip {
  const { truth, clock } = options
  const epoch = Date.parse(truth.epoch)
  const drift = new Drift(truth.seed)
  const draws = new Draws(truth.seed)
  const caches = new Map<string, PropagatorCache>()
  const time = () => ((clock.now() - epoch) / 1000) * truth.time_scale
  const initial = new Map([...startCurrents(truth), ...(options.initialCurrents ?? [])])
  const currents = createHeldCurrents(initial, sourceFault(truth, time))
  const conditionsNow = () => conditionsOf(truth, truthAt(truth, drift, time()), currents.heldIn)
  const repetitions = new Repetitions()
  const contextOf = (program: Program): RunContext => {
    const second = Math.floor(time())
    const conditions = conditionsNow()
    return {
      conditions,
      evolution: new RegisterEvolution(conditions, program.reset_ns, caches),
      pointers: new Map(),
      contentOf: (key) => `${key} ${second} ${repetitions.next(key, second)}`,
    }
  }

  return {
    backend: 'simulated',
    currents,
    conditions: conditionsNow,
    open: async () => undefined,
    close: async () => undefined,
    leastSeconds(program) {
      checkProgram(program)
      const context = contextOf(program)
      return program.points
        .flatMap((point) => registersAt(point, context, program.kind))
        .filter(({ register, isExact, isFollowed }) => !isExact && !isFollowed && isPlayable(register))
        .map(({ register, pulses, readouts }) =>
          leastSecondsOf(context.evolution.trajectories(register, pulses, readouts).trajectories, program),
        )
        .reduce((sum, seconds) => sum + seconds, 0)
    },
    async run<Kind extends AcquisitionKind>(program: Program<Kind>, signal: AbortSignal) {
      signal.throwIfAborted()
      checkProgram(program)
      const context = contextOf(program)
      const results: AcquisitionOf[Kind][][] = []
      const turns = new Turns(clock, signal)
      const noise: RecordOptions = { shots: program.shots, hasNoise: truth.shots_noise, draws }
      for (const point of program.points) {
        const before = context.evolution.work
        const registers = await prepare(point, context, program, { draws, turns })
        await turns.after(context.evolution.work - before)
        results.push(await record(program, point, registers, noise, turns))
      }
      const finished: Acquisitions<Kind> = results
      return finished
    },
  }
}

interface RunContext {
  conditions: Conditions
  evolution: RegisterEvolution
  pointers: Map<string, Pointers>
  /** What the draws of a register depend on: its key, the second of the chip and how often it was asked. */
  contentOf(key: string): string
}

/** The transmons of a point that are played together, with their readings. */
function registersAt(point: Schedule, { conditions, pointers }: RunContext, kind: AcquisitionKind) {
  const pulses = sortPulses(point)
  return registersOf(point, pulses, conditions).map((register) => {
    const { readings, readouts } = readingsOf(register, point, pulses, conditions, pointers)
    const isFollowed = isChain(register, readouts, kind, pulses)
    return { register, pulses, readings, readouts, isExact: isExact(register, readouts, kind), isFollowed }
  })
}

/** What each register of a point does, without the others. */
async function prepare(
  point: Schedule,
  context: RunContext,
  { kind, shots, reset_ns }: Program,
  { draws, turns }: { draws: Draws; turns: Turns },
): Promise<Recordable[]> {
  const { conditions, evolution, contentOf } = context
  for (const { qubit } of point.acquisitions)
    if (!conditions.transmons.has(qubit)) throw new RangeError(`the simulated chip has no qubit ${qubit}`)
  const recordables: Recordable[] = []
  for (const { register, pulses, readings, readouts, ...rest } of registersAt(point, context, kind)) {
    assertPlayable(register)
    const windows = new ContentHash().add(kind).add(shots).add(reset_ns)
    for (const reading of readings) addWindow(windows, reading, pulses)
    const contentFor = (key: string) => contentOf(`${key} ${windows.value()}`)
    if (rest.isExact) {
      const { key, populations } = evolution.populations(register, pulses, readouts)
      const found = foundIn(populations, register.qubits.length)
      recordables.push({ readings, found, content: contentFor(key) })
      continue
    }
    if (rest.isFollowed) {
      const { key, chain } = evolution.chain(register, pulses, readouts)
      const content = contentFor(key)
      const rng = draws.at(DRAW.levels, content, 0)
      recordables.push({ readings, found: drawChain(chain, shots, register.qubits.length, rng), content })
      continue
    }
    const { key, trajectories } = evolution.trajectories(register, pulses, readouts)
    const content = contentFor(key)
    const play = { register, readouts, kind, shots, content }
    recordables.push({ readings, found: await playRegister(trajectories, play, draws, turns), content })
  }
  return recordables
}

/** Adds a window and the pulses that its qubit is read with, which are too many for arguments of a call. */
function addWindow(hash: ContentHash, { acquisition }: Reading, { res }: PulsesByPort): void {
  const { at, duration, frequency, phase = 0, qubit } = acquisition
  hash.add(at).add(duration).add(frequency).add(phase)
  for (const pulse of res.get(qubit) ?? []) hash.add(pulse.frequency).add(pulse.amplitude)
}

/** Records a point reading by reading, because thousands of shots of many qubits take their time. */
async function record<Kind extends AcquisitionKind>(
  { kind }: Program<Kind>,
  { acquisitions }: Schedule,
  registers: readonly Recordable[],
  options: RecordOptions,
  turns: Turns,
): Promise<AcquisitionOf[Kind][]> {
  const signals: Signals = new Map()
  const results = new Array<AcquisitionOf[Kind]>(acquisitions.length)
  for (const register of registers)
    for (const work of addSignals(kind, register, options, signals)) await turns.after(work)
  for (const register of registers)
    for (const work of recordRegister(kind, register, options, signals, results)) await turns.after(work)
  return results
}

function startCurrents({ edges }: ChipTruth): Map<string, number> {
  return new Map(Object.entries(edges).map(([name, { held_at_start }]) => [name, held_at_start]))
}

/** The failure that a scripted event makes of a change of a current. */
function sourceFault(
  { events, epoch }: ChipTruth,
  time: () => number,
): (edge: string, sample: number) => void {
  return (edge, sample) => {
    for (const event of events) {
      if (event.kind !== 'source_fault' || sample < event.sample) continue
      const since = time() - (Date.parse(event.at) - Date.parse(epoch)) / 1000
      if (since >= 0) throw new Error(`the simulated current source does not respond (${edge})`)
    }
  }
}
