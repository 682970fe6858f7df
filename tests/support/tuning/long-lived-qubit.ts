import type { Program } from '../../../src/devices/pulse/schedule.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { Heralds } from '../../../src/devices/tuning/run/heralds.ts'
import { calibratedQubit } from './calibrated-qubit.ts'

/** Coherence of a very good qubit, s. */
export const LONG_LIVED = { t1: 3e-3, t2_echo: 2e-3, t2_star: 0.2e-3 }
/** What a device file waits for such a qubit, s. */
export const RESET_S = 15e-3

/** A very good qubit, and the programs that its chip plays. */
export function longLived(seed: number, { isHeralded = true, reset = RESET_S } = {}) {
  const heralds = new Heralds()
  const qubit = calibratedQubit(seed, LONG_LIVED, isHeralded ? { heraldLog: heralds } : {})
  qubit.values.set('q0', 'reset.duration', reset)
  const programs: Program[] = []
  const { run } = qubit.chip
  qubit.chip.run = async (program, signal) => {
    programs.push(program)
    return await run(program, signal)
  }
  const seconds = () =>
    programs.reduce((sum, { points, shots, reset_ns }) => {
      return sum + points.reduce((all, { duration }) => all + shots * (duration + reset_ns) * 1e-9, 0)
    }, 0)
  const measure = (name: string) => {
    const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
    if (!routine) throw new Error(`no routine ${name}`)
    return qubit.measure(routine)
  }
  return { ...qubit, measure, programs, seconds, heralds }
}
