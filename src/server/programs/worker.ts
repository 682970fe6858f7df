/** The thread that checks large programs: see `checker.ts`. It is an entry point of its own in the executable. */
import { checkEach } from './check-each.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<readonly string[]>) => {
  self.postMessage(checkEach(data))
  // Otherwise the trees of large programs stay: three of a gigabyte were seen to take 1.8 GB until long after.
  Bun.gc(true)
}
