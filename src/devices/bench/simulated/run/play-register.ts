import { ProgramError } from '../../../pulse/check-program.ts'
import type { AcquisitionKind } from '../../../pulse/schedule.ts'
import { DRAW, type Draws } from '../random.ts'
import type { Trajectories } from '../trajectories/trajectories.ts'
import type { Turns } from '../turns.ts'
import type { Readouts } from './evolve-register.ts'
import { type Found, foundShotByShot } from './found.ts'
import type { Register } from './registers.ts'

/** Largest registers that are played shot by shot. */
const REGISTER_LIMITS = {
  /** Transmons that pulsed couplers join: one pulse moves 3^11 amplitudes in about 10 ms. */
  transmons: 11,
  /** Amplitudes that the pulses of all shots of a point move; a few minutes. */
  work: 1e10,
} as const

/** Shots whose mean stands for that of more, where only means are asked for. */
const MEAN_SHOTS = 1000

/**
 * Time in which no machine moves an amplitude, s: a fifth of what a core takes here. A job that may end
 * in time is tried.
 */
const LEAST_SECONDS_PER_AMPLITUDE = 2e-9

/** How long a fast machine plays a register at least, s. */
export function leastSecondsOf(
  trajectories: Trajectories,
  { kind, shots }: { kind: AcquisitionKind; shots: number },
): number {
  return LEAST_SECONDS_PER_AMPLITUDE * trajectories.work(playedOf(kind, shots))
}

function playedOf(kind: AcquisitionKind, shots: number): number {
  return kind === 'shots' ? shots : Math.min(shots, MEAN_SHOTS)
}

/** Whether populations of the whole register are known together: a density matrix of one or two transmons. */
export function isExact({ qubits }: Register, { times }: Readouts, kind: AcquisitionKind): boolean {
  return qubits.length <= 2 && (kind !== 'shots' || times.length <= 1)
}

/** Whether the state of a register is small enough. */
export function isPlayable({ qubits }: Register): boolean {
  return qubits.length <= REGISTER_LIMITS.transmons
}

/** @throws ProgramError for a register that is too large to be simulated. */
export function assertPlayable(register: Register): void {
  const most = REGISTER_LIMITS.transmons
  if (isPlayable(register)) return
  const { qubits } = register
  const names = qubits.join(', ')
  const problem = `gates join ${qubits.length} qubits (${names}); the simulated chip keeps the state of at most ${most}`
  throw new ProgramError('points', problem)
}

/**
 * Plays a register shot by shot.
 * @throws ProgramError when that takes too long.
 */
export async function playRegister(
  trajectories: Trajectories,
  { register, readouts, kind, shots, content }: Play,
  draws: Draws,
  turns: Turns,
): Promise<Found> {
  const played = playedOf(kind, shots)
  if (trajectories.work(played) > REGISTER_LIMITS.work) {
    const most = mostShots(trajectories, played)
    const circuit = `this circuit of ${register.qubits.length} joined qubits`
    throw new ProgramError(
      'shots',
      `the simulated chip takes at most ${most} shots of ${circuit}, got ${played}`,
    )
  }
  const rng = draws.lasting(DRAW.courses, content)
  const levels = await trajectories.play(played, rng, turns)
  const places = readouts.measured.flatMap((measured, time) => measured.map((which) => `${time} ${which}`))
  const found = new Map(places.map((place, index) => [place, levels[index] ?? new Uint8Array()]))
  return foundShotByShot((time, which) => found.get(`${time} ${which}`) ?? new Uint8Array())
}

/** Shots up to a number that are played in time. */
function mostShots(trajectories: Trajectories, beyond: number): number {
  let [low, high] = [0, beyond]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (trajectories.work(middle) > REGISTER_LIMITS.work) high = middle
    else low = middle
  }
  return low
}

interface Play {
  register: Register
  readouts: Readouts
  kind: AcquisitionKind
  shots: number
  /** What the draws depend on, beside the seed. */
  content: string
}
