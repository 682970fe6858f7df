import type { Steps } from '../../../src/devices/fitting/steps.ts'

/** What an analysis that pauses returns at its end. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
