import { Turns } from '../../../../src/devices/bench/simulated/turns.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/** Turns that nobody else wants. */
export function silentTurns(): Turns {
  return new Turns(new FakeClock(0), new AbortController().signal)
}
