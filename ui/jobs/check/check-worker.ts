import { findProblems } from './check-program.ts'

/** Checks each program that it receives and sends what it found, in their order. */
self.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data === 'string') self.postMessage(findProblems(data))
})
