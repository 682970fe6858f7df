import { envelopeOf } from '../../../pulse/envelope.ts'
import type { Envelope } from '../../../pulse/schedule.ts'

/** A pulse of a coupler as its pair of transmons feels it; `a` is the transmon of higher frequency. */
export interface Exchange {
  /** Coupling of |11⟩ and |20⟩ at the top of the envelope, Hz. */
  coupling: number
  /** Whether the coupling grows with the envelope (a tone) or is there while it plays (a baseband pulse). */
  isProportional: boolean
  /** Energy of |20⟩ above |11⟩ without the pulse, less that of the tone, Hz. */
  detuning: number
  /** Change of the detuning at the top of the envelope, Hz; it grows with the square of the envelope. */
  shift: number
  /** Shifts of both transmons at the top of the envelope, Hz. */
  starkA: number
  starkB: number
  /** Phase of the tone at the start of the schedule, rad. */
  phase: number
  envelope: Envelope
  /** Deficit of the flux after an edge, which decays within `tau` ns. */
  distortion: { amplitude: number; tau: number } | undefined
  /** ns from the start of the schedule. */
  start: number
  duration: number
}

/** The effect of a coupler pulse in the interaction picture: phases of all levels, and a block. */
export interface ExchangeKick {
  at: number
  /**
   * Phase factors of the levels `3a + b`, real and imaginary parts alternating; those of |11⟩ and |20⟩ are in
   * the block.
   */
  factors: Float64Array
  /** ⟨11|, ⟨20| by |11⟩, |20⟩, row by row; real and imaginary parts alternate. */
  block: Float64Array
}

/** What part of a pulse does in the frame of its tone. */
export type Stretch = Omit<ExchangeKick, 'at'>

const LEVELS = 9
const LEVEL_11 = 4
const LEVEL_20 = 6

/** Longest stretch without damping in between: a time (ns), and a turn from |11⟩ to |20⟩ (rad). */
const MAX_CHUNK_NS = 20
const MAX_CHUNK_TURN = 0.4

/** The kicks of a pulse, one for each stretch that is short against the exchange. */
export function exchangeKicks(pulse: Exchange): ExchangeKick[] {
  return playedAt(pulse, stretchesOf(pulse))
}

/** What the stretches of a pulse do in the frame of its tone, whenever it starts and whatever its phase. */
export function stretchesOf(pulse: Exchange): Stretch[] {
  const turn = 2 * Math.PI * pulse.coupling * pulse.duration * 1e-9
  const count = Math.ceil(Math.max(pulse.duration / MAX_CHUNK_NS, turn / MAX_CHUNK_TURN))
  const length = pulse.duration / count
  // Stretches of a constant pulse differ in the phase of the tone only.
  const still = isConstant(pulse) ? stretchOf(pulse, 0, length) : undefined
  return Array.from({ length: count }, (_, index) => still ?? stretchOf(pulse, index * length, length))
}

/** The kicks of a pulse whose stretches are known. */
export function playedAt(pulse: Exchange, stretches: readonly Stretch[]): ExchangeKick[] {
  const length = pulse.duration / stretches.length
  return stretches.map(({ factors, block }, index) => {
    const start = pulse.start + index * length
    return { at: start + length / 2, factors, block: turnedBlock(pulse, block, start, length) }
  })
}

function isConstant({ envelope, distortion }: Exchange): boolean {
  return envelope.shape === 'square' && distortion === undefined
}

/** Integrates the two-level problem of |11⟩ and |20⟩ over part of a pulse, in steps of about 1 ns. */
function stretchOf(pulse: Exchange, at: number, duration: number): Stretch {
  const steps = isConstant(pulse) ? 1 : Math.ceil(duration)
  const dt = (duration / steps) * 1e-9
  const block = new Float64Array([1, 0, 0, 0, 0, 0, 1, 0])
  let [phaseA, phaseB] = [0, 0]
  const heightAt = heightOf(pulse)
  for (let step = 0; step < steps; step++) {
    const height = heightAt(at + ((step + 0.5) * duration) / steps)
    const square = height * height
    const common = (pulse.starkA + pulse.starkB) * square
    const coupling = pulse.coupling * (pulse.isProportional || height === 0 ? height : 1)
    const detuning = pulse.detuning + pulse.shift * square
    advance(block, common, detuning, coupling, dt)
    phaseA -= 2 * Math.PI * pulse.starkA * square * dt
    phaseB -= 2 * Math.PI * pulse.starkB * square * dt
  }
  const factors = new Float64Array(2 * LEVELS)
  for (let level = 0; level < LEVELS; level++) {
    const isInBlock = level === LEVEL_11 || level === LEVEL_20
    const phase = isInBlock ? 0 : Math.floor(level / 3) * phaseA + (level % 3) * phaseB
    factors[2 * level] = Math.cos(phase)
    factors[2 * level + 1] = Math.sin(phase)
  }
  return { factors, block }
}

/** Height of a pulse by the time after its start, ns. */
function heightOf({ envelope, duration, distortion }: Exchange): (t: number) => number {
  const at = envelopeOf(envelope, duration)
  if (!distortion) return (t) => at(t).i
  return (t) => at(t).i * (1 - distortion.amplitude * Math.exp(-t / distortion.tau))
}

/** block ← exp(−2πi [[common, coupling], [coupling, common + detuning]] dt) · block, in closed form. */
function advance(block: Float64Array, common: number, detuning: number, coupling: number, dt: number): void {
  const half = detuning / 2
  const rate = Math.hypot(half, coupling)
  const angle = 2 * Math.PI * rate * dt
  const cos = Math.cos(angle)
  const sin = rate === 0 ? 0 : Math.sin(angle) / rate
  const mean = -2 * Math.PI * (common + half) * dt
  const u = [cos, sin * half, 0, -sin * coupling, 0, -sin * coupling, cos, -sin * half]
  const before = block.slice()
  for (let row = 0; row < 2; row++) {
    for (let column = 0; column < 2; column++) {
      let re = 0
      let im = 0
      for (let k = 0; k < 2; k++) {
        const a = 4 * row + 2 * k
        const b = 4 * k + 2 * column
        re += (u[a] ?? 0) * (before[b] ?? 0) - (u[a + 1] ?? 0) * (before[b + 1] ?? 0)
        im += (u[a] ?? 0) * (before[b + 1] ?? 0) + (u[a + 1] ?? 0) * (before[b] ?? 0)
      }
      block[4 * row + 2 * column] = re * Math.cos(mean) - im * Math.sin(mean)
      block[4 * row + 2 * column + 1] = re * Math.sin(mean) + im * Math.cos(mean)
    }
  }
}

/** A block in the interaction picture, in which |20⟩ and the tone turn against each other. */
function turnedBlock(pulse: Exchange, block: Float64Array, start: number, duration: number): Float64Array {
  const angleAt = (t: number) => 2 * Math.PI * pulse.detuning * t * 1e-9 - pulse.phase
  const [before, after] = [angleAt(start), angleAt(start + duration)]
  const turned = block.slice()
  turnEntry(turned, 1, -before)
  turnEntry(turned, 2, after)
  turnEntry(turned, 3, after - before)
  return turned
}

function turnEntry(block: Float64Array, entry: number, angle: number): void {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const re = block[2 * entry] as number
  const im = block[2 * entry + 1] as number
  block[2 * entry] = re * cos - im * sin
  block[2 * entry + 1] = re * sin + im * cos
}
