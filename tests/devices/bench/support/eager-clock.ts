import type { Clock } from '../../../../src/base/index.ts'

/** A clock whose sleeps take no time, and end a little early as timers of the runtime may. */
export function eagerClock(): Clock {
  let time = 0
  return {
    now: () => time,
    monotonic: () => time,
    async sleep(ms) {
      time += Math.max(ms * 0.9, 1e-6)
    },
  }
}
