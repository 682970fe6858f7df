import type { Program } from '../../../src/devices/pulse/schedule.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { RunHeralds } from '../../../src/devices/tuning/run/run-heralds.ts'
import { FakeClock } from '../fake-clock.ts'
import { calibratedQubit } from './calibrated-qubit.ts'

/** Coherence of a very good qubit, s. */
export const LONG_LIVED = { t1: 3e-3, t2_echo: 2e-3, t2_star: 0.2e-3 }
/** What a device file waits for such a qubit, s. */
export const RESET_S = 15e-3

/** Judges the readings of each program again. */
class ForgetfulHeralds extends RunHeralds {
  override recall(): undefined {}
}

/** A very good qubit, the programs that its chip plays, and the clock by which it judges again. */
export function longLived(seed: number, { isHeralded = true, isForgetful = false, reset = RESET_S } = {}) {
  const clock = new FakeClock()
  const heralds = isForgetful ? new ForgetfulHeralds(clock) : new RunHeralds(clock)
  const qubit = calibratedQubit(seed, LONG_LIVED, isHeralded ? { heralds: heralds } : {})
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
  /** How often readings were judged: such a program has three points at most, and waits. */
  const judgements = () => programs.filter(({ kind, reset_ns }) => kind === 'shots' && reset_ns > 1e6).length
  const measure = (name: string) => {
    const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
    if (!routine) throw new Error(`no routine ${name}`)
    return qubit.measure(routine)
  }
  return { ...qubit, measureRoutine: qubit.measure, measure, programs, seconds, judgements, heralds, clock }
}
