import type { Envelope } from '../../../pulse/schedule.ts'
import { type Drive, type DriveChunk, MAX_STEPS, propagateDrive } from './drive.ts'

/** Pulses that differ by less are the same one, Hz. */
const DETUNING_STEP = 10
const RABI_STEP = 1
const MAX_KEPT = 512
/** Pulses compared one by one before the table: a sequence of gates uses few. */
const MAX_RECENT = 6

interface Entry {
  drive: Drive
  chunks: DriveChunk[]
}

/** Propagators of pulses by their content: most of a program is a few pulses, repeated. */
export class PropagatorCache {
  readonly #entries = new Map<string, Entry>()
  #recent: Entry[] = []
  /** Steps of propagators calculated so far: the measure of work. */
  steps = 0

  /** The propagators of a pulse, detuning and Rabi frequency rounded. */
  get(exact: Drive): DriveChunk[] {
    const drive = {
      ...exact,
      detuning: Math.round(exact.detuning / DETUNING_STEP) * DETUNING_STEP,
      rabi: Math.round(exact.rabi / RABI_STEP) * RABI_STEP,
    }
    for (const entry of this.#recent) if (isSame(entry.drive, drive)) return entry.chunks
    const entry = this.#lookUp(drive)
    this.#recent = [entry, ...this.#recent.slice(0, MAX_RECENT - 1)]
    return entry.chunks
  }

  #lookUp(drive: Drive): Entry {
    const key = keyOf(drive)
    const known = this.#entries.get(key)
    if (known) return known
    this.steps += drive.envelope.shape === 'square' ? 1 : Math.min(drive.duration, MAX_STEPS)
    const entry = { drive, chunks: propagateDrive(drive) }
    if (this.#entries.size >= MAX_KEPT) this.#entries.clear()
    this.#entries.set(key, entry)
    return entry
  }
}

function isSame(a: Drive, b: Drive): boolean {
  return (
    a.rabi === b.rabi &&
    a.detuning === b.detuning &&
    a.duration === b.duration &&
    a.quadrature === b.quadrature &&
    a.anharmonicity === b.anharmonicity &&
    parameterOf(a.envelope) === parameterOf(b.envelope) &&
    a.envelope.shape === b.envelope.shape
  )
}

function keyOf({ rabi, detuning, duration, quadrature, anharmonicity, envelope }: Drive): string {
  const shape = `${envelope.shape}${parameterOf(envelope)}`
  return `${rabi}|${detuning}|${duration}|${quadrature}|${anharmonicity}|${shape}`
}

function parameterOf(envelope: Envelope): number {
  if (envelope.shape === 'gaussian') return envelope.motzoi
  return envelope.shape === 'soft_square' ? envelope.rise : 0
}
