import type { Execution } from '../jobs.ts'
import { findIdeal } from './find-ideal.ts'

/** Responds to a list of executions with their ideal distributions. */
self.addEventListener('message', ({ data }: MessageEvent<readonly Execution[]>) => {
  self.postMessage(data.map(findIdeal))
})
