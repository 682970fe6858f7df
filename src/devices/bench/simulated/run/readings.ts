import type { Acquisition, Pulse, Schedule } from '../../../pulse/schedule.ts'
import type { Complex } from '../../instrument.ts'
import { type Pointers, pointersOf } from '../readout/pointers.ts'
import { polar } from '../readout/response.ts'
import type { Conditions, Resonator } from '../state/conditions.ts'
import type { Readouts } from './evolve-register.ts'
import type { PulsesByPort, Register } from './registers.ts'

/** One acquisition of a point, with all that decides what it records. */
export interface Reading {
  acquisition: Acquisition
  /** Place among the acquisitions of the point. */
  index: number
  /** Place among those of its register, which is the same in a group of targets and alone. */
  place: number
  /** Which transmon of its register, and which of the times of that register. */
  which: number
  time: number
  resonator: Resonator
  pointers: Pointers
  /** Phase of the pulse against that of the window, and loss by their difference in frequency. */
  factor: Complex
}

/** A register with its readings, and when they measure it. */
interface RegisterReadings {
  register: Register
  readings: Reading[]
  readouts: Readouts
}

/** Pointers by their content: a program has few. */
type PointerCache = Map<string, Pointers>

/** Prepares the readings of one register of a point. */
export function readingsOf(
  register: Register,
  schedule: Schedule,
  pulses: PulsesByPort,
  conditions: Conditions,
  cache: PointerCache,
): RegisterReadings {
  const found = [...schedule.acquisitions.entries()].flatMap(([index, acquisition]) => {
    const which = register.qubits.indexOf(acquisition.qubit)
    const resonator = conditions.resonators.get(acquisition.qubit)
    if (which < 0 || !resonator) return []
    const pulse = pulseFor(acquisition, resonator, pulses.res.get(acquisition.qubit) ?? [])
    return [{ index, acquisition, which, resonator, pulse, at: pulse?.at ?? acquisition.at }]
  })
  const times = [...new Set(found.map(({ at }) => at))].sort((one, other) => one - other)
  const readings = found.map(({ index, acquisition, which, resonator, pulse, at }, place) => ({
    acquisition,
    index,
    place,
    which,
    time: times.indexOf(at),
    resonator,
    pointers: cachedPointers(cache, acquisition, resonator, pulse, conditions),
    factor: pulse ? factorOf(acquisition, pulse) : { re: 1, im: 0 },
  }))
  const measured = times.map((_, time) => [
    ...new Set(readings.filter((reading) => reading.time === time).map(({ which }) => which)),
  ])
  return { register, readings, readouts: { times, measured } }
}

/** The last pulse whose response the window can still see. */
function pulseFor(window: Acquisition, { delay }: Resonator, pulses: readonly Pulse[]): Pulse | undefined {
  return pulses.findLast(({ at }) => at + delay < window.at + window.duration)
}

function cachedPointers(
  cache: PointerCache,
  window: Acquisition,
  resonator: Resonator,
  pulse: Pulse | undefined,
  conditions: Conditions,
): Pointers {
  const from = pulse ? window.at - pulse.at - resonator.delay : 0
  const content = pulse ? [pulse.frequency, pulse.amplitude, pulse.duration, from] : []
  const key = [window.qubit, window.duration, ...content].join(' ')
  const known = cache.get(key)
  if (known) return known
  const transmon = conditions.transmons.get(window.qubit)
  if (!transmon) throw new RangeError(`the chip has no qubit ${window.qubit}`)
  const pointers = pointersOf(
    resonator,
    transmon,
    window.duration,
    pulse && {
      frequency: pulse.frequency,
      amplitude: pulse.amplitude,
      duration: pulse.duration,
      from,
      to: from + window.duration,
    },
  )
  cache.set(key, pointers)
  return pointers
}

/** What demodulation at another phase or frequency makes of a signal. */
function factorOf(window: Acquisition, pulse: Pulse): Complex {
  const difference = pulse.frequency - window.frequency
  const half = Math.PI * difference * window.duration * 1e-9
  const loss = half === 0 ? 1 : Math.sin(half) / half
  const middle = 2 * Math.PI * difference * (window.at + window.duration / 2) * 1e-9
  return polar(loss, pulse.phase - (window.phase ?? 0) + middle)
}
