import { Damping } from '../../../src/devices/bench/simulated/dynamics/damping.ts'
import { exchangeKicks } from '../../../src/devices/bench/simulated/dynamics/exchange.ts'
import { applyExchange, dampPair, PAIR_LEVELS } from '../../../src/devices/bench/simulated/dynamics/pair.ts'
import { exchangeOf } from '../../../src/devices/bench/simulated/dynamics/play.ts'
import type { Gate, Transmon } from '../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { Conditions } from '../../../src/devices/bench/simulated/state/conditions.ts'

/** A gate as it is played: Hz (0 without carrier), share of full scale, s. */
interface PlayedGate {
  frequency: number
  amplitude: number
  duration: number
  /** Frequencies of the drives of both qubits by name, Hz: their own when absent. */
  drives?: Readonly<Record<string, number>>
  /** Phases given to both qubits after the gate, degrees: minus those that it leaves when absent. */
  corrections?: Readonly<Record<string, number>>
}

/** The gate of an edge between the transmons `a`, of higher frequency, and `b`. */
interface Place {
  gate: Gate
  a: Transmon
  b: Transmon
}

/** What a gate does; angles in degrees as the drive of the chip sees them. */
interface GateTruth {
  phase: number
  /** Phases of both qubits by name. */
  local: Record<string, number>
  /** Population of 20 after 11. */
  leakage: number
  /** 1 − F as the drives see it, on average over slow noise. */
  error: number
}

const TURN = 2 * Math.PI
/** Levels 00, 01, 10 and 11 of a pair. */
const COMPUTATIONAL = [0, 1, 3, 4]
const [LEVEL_11, LEVEL_20] = [4, 6]
/**
 * Signs of three standard deviations of slow noise whose products cancel on average: an error that grows with
 * the squares of the offsets has the mean over all of the noise.
 */
const SIGNS = [
  [1, 1, 1],
  [1, -1, -1],
  [-1, 1, -1],
  [-1, -1, 1],
] as const

/** The truth about a gate of an edge: phases in closed form, the rest by the dynamics with damping. */
export function gateTruth({ transmons, couplings }: Conditions, edge: string, played: PlayedGate): GateTruth {
  const coupling = couplings.find(({ name }) => name === edge)
  const [a, b] = [transmons.get(coupling?.high ?? ''), transmons.get(coupling?.low ?? '')]
  if (!coupling || !a || !b) throw new Error(`the chip has no edge ${edge}`)
  const place: Place = { gate: coupling.gate, a, b }
  const [ofHigh = 0, ofLow = 0] = [coupling.gate.starkA, coupling.gate.starkB].map(
    (stark) => -TURN * stark * played.amplitude ** 2 * played.duration,
  )
  // What a drive calls a turn to the left is one to the right on a line of the usual handedness.
  const seen = (angle: number) => (-a.hand * angle * 360) / TURN
  const left = evolutionOf(place, played)(LEVEL_11, LEVEL_11)
  // What the correction undoes, and how far a qubit turns meanwhile against a drive of another frequency.
  const undone = (name: string, { f01, hand }: Transmon, phase: number, offset: number) => {
    const correction = played.corrections?.[name]
    const lag = TURN * (f01 + offset - (played.drives?.[name] ?? f01)) * played.duration
    return (correction === undefined ? phase : (hand * correction * TURN) / 360) + lag
  }
  const errors = SIGNS.map(([signA, signB, signGate]) => {
    const [offsetA, offsetB] = [signA * a.slowNoise, signB * b.slowNoise]
    const noisy: Place = {
      gate: { ...coupling.gate, offset: coupling.gate.offset + signGate * coupling.gate.slowNoise },
      a: { ...a, f01: a.f01 + offsetA },
      b: { ...b, f01: b.f01 + offsetB },
    }
    const highPhase = undone(coupling.high, a, ofHigh, offsetA)
    const lowPhase = undone(coupling.low, b, ofLow, offsetB)
    const phases = [0, lowPhase, highPhase, lowPhase + highPhase + Math.PI]
    return 1 - averageFidelity(evolutionOf(noisy, played), phases)
  })
  return {
    phase: ((seen(conditionalPhase(place, played)) % 360) + 360) % 360,
    local: { [coupling.high]: seen(ofHigh) % 360, [coupling.low]: seen(ofLow) % 360 },
    leakage: left[2 * LEVEL_20 * (PAIR_LEVELS + 1)] ?? Number.NaN,
    error: errors.reduce((sum, error) => sum + error / errors.length, 0),
  }
}

/** Phase of 11 less those of 01 and 10, without damping. */
function conditionalPhase({ gate, a, b }: Place, { frequency, amplitude, duration }: PlayedGate): number {
  const difference = a.f01 - b.f01 + a.anharmonicity
  const detuning =
    difference + Math.sign(difference) * (gate.offset + gate.shift * amplitude ** 2 - frequency)
  const exchange = gate.coupling * (frequency > 0 ? amplitude : 1)
  const rate = Math.hypot(detuning, 2 * exchange)
  const half = Math.PI * rate * duration
  const returned = Math.atan2((detuning / rate) * Math.sin(half), Math.cos(half))
  return returned - Math.PI * detuning * duration - TURN * gate.conditional * duration
}

/** Makes of the operator |from⟩⟨to| what the gate makes of it. */
type Evolution = (from: number, to: number) => Float64Array

function evolutionOf({ gate, a, b }: Place, { frequency, amplitude, duration }: PlayedGate): Evolution {
  const end = duration * 1e9
  const common = { at: 0, duration: end, port: 'gate:fl' as const, phase: 0, amplitude, frequency }
  const kicks = exchangeKicks(exchangeOf(gate, a, b, { ...common, envelope: { shape: 'square' } }, 0))
  const dampings = [new Damping(a.rates), new Damping(b.rates)] as const
  return (from, to) => {
    const rho = new Float64Array(2 * PAIR_LEVELS * PAIR_LEVELS)
    rho[2 * (from * PAIR_LEVELS + to)] = 1
    let now = 0
    const rest = (until: number) => {
      const dt = until - now
      dampPair(rho, dampings[0].over(dt), dampings[1].over(dt), TURN * gate.conditional * dt * 1e-9)
      now = until
    }
    for (const kick of kicks) {
      rest(kick.at)
      applyExchange(rho, kick)
    }
    rest(end)
    return rho
  }
}

/**
 * Average fidelity to a gate of these phases of the computational states, (4·F_process + 1 − leakage)/5
 * (C. J. Wood and J. M. Gambetta, PRA 97, 032306 (2018)).
 */
function averageFidelity(evolve: Evolution, phases: readonly number[]): number {
  let [process, kept] = [0, 0]
  for (const [i, from] of COMPUTATIONAL.entries()) {
    for (const [j, to] of COMPUTATIONAL.entries()) {
      const rho = evolve(from, to)
      const angle = (phases[j] ?? 0) - (phases[i] ?? 0)
      const [re = 0, im = 0] = rho.subarray(2 * (from * PAIR_LEVELS + to))
      process += (Math.cos(angle) * re - Math.sin(angle) * im) / 16
    }
    const populations = evolve(from, from)
    kept += COMPUTATIONAL.reduce(
      (sum, level) => sum + (populations[2 * level * (PAIR_LEVELS + 1)] ?? 0) / 4,
      0,
    )
  }
  return (4 * process + kept) / 5
}
