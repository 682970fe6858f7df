import type { Instrument } from '../../../src/devices/bench/instrument.ts'
import { CalibrationError } from '../../../src/devices/errors.ts'
import type { Program, Schedule } from '../../../src/devices/pulse/schedule.ts'
import { acquire, defineRoutine, type Finding, type Routine } from '../../../src/devices/tuning/routine.ts'
import type { CouplerMover } from '../../../src/devices/tuning/walk/run-currents.ts'
import type { ChipValues } from '../../../src/devices/tuning/walk/run-values.ts'

type Declared = Parameters<typeof defineRoutine>[0]

/** A chip that is a line of qubits, each coupled to the next, with the given values. */
export function lineChip(count: number, values: Record<string, Record<string, unknown>> = {}): ChipValues {
  const qubits = Array.from({ length: count }, (_, at) => `q${at}`)
  const edges = qubits.slice(1).map((child, at) => ({ name: `q${at}_${child}`, parent: `q${at}`, child }))
  return {
    ...{ qubits, edges },
    has: (_, path) => !path.startsWith('missing'),
    value: (element, path) => values[element]?.[path],
  }
}

/** A schedule with nothing but one window. */
export function windowOf(qubit: string, at = 0): Schedule {
  const port = `${qubit}:res` as const
  const pulse = { at, duration: 20, port, frequency: 6e9, phase: 0, amplitude: 0.1 }
  return {
    duration: at + 20,
    pulses: [{ ...pulse, envelope: { shape: 'square' } }],
    acquisitions: [{ at, duration: 20, port, frequency: 6e9, qubit }],
  }
}

/** A routine of one acquisition, whose analysis is the given function. */
export function scriptedRoutine(
  declared: Omit<Declared, 'measure' | 'size'>,
  analyse: (target: string, attempt: number) => Finding = () => ({}),
): Routine {
  return defineRoutine({
    kind: 'qubit',
    size: { points: 1, shots: 1 },
    ...declared,
    *measure({ target, parent, attempt }) {
      yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(parent.name)] })
      return analyse(target, attempt.number)
    },
  })
}

/** An instrument that records programs and returns the number of the acquisition within each point. */
export class RecordingInstrument implements Instrument {
  readonly backend = 'recording'
  readonly programs: Program[] = []
  open = async () => undefined
  close = async () => undefined

  async run(program: Program, signal: AbortSignal) {
    signal.throwIfAborted()
    this.programs.push(program)
    return program.points.map(({ acquisitions }) => acquisitions.map((_, at) => ({ re: at, im: 0 }))) as never
  }
}

/** Couplers whose currents jump, recorded. */
export class RecordingMover implements CouplerMover {
  readonly edges: readonly string[]
  readonly log: string[] = []
  readonly #amps = new Map<string, number>()
  readonly #before = new Map<string, number>()
  isCut = false

  constructor(edges: readonly string[]) {
    this.edges = edges
  }

  limit(): number {
    return 2.5e-3
  }

  readEffective(edge: string): Promise<number> {
    return this.read(edge)
  }

  async read(edge: string): Promise<number> {
    return this.#amps.get(edge) ?? 0
  }

  async park(wanted: ReadonlyMap<string, number>) {
    for (const [edge, amps] of wanted) {
      if (!this.#before.has(edge)) this.#before.set(edge, await this.read(edge))
      this.#amps.set(edge, amps)
      this.log.push(`${edge} ${amps}`)
    }
    return wanted
  }

  async restore(edges: readonly string[], { isEmergency }: { isEmergency: boolean }): Promise<void> {
    if (this.isCut) throw new CalibrationError('coupler q0_q1 holds 1 mA instead of 0 mA: the line is cut')
    for (const edge of edges) {
      this.log.push(`${edge} back${isEmergency ? ' fast' : ''}`)
      this.#amps.set(edge, this.#before.get(edge) ?? 0)
      this.#before.delete(edge)
    }
  }

  announce = async () => undefined

  keep(edges: readonly string[]): void {
    this.log.push(`${edges.join(' ')} kept`)
  }
}
