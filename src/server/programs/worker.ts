/** A thread that checks large programs: see `checker.ts`. It is an entry point of its own in the executable. */
import { checkEach } from './check-each.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<readonly string[]>) => self.postMessage(checkEach(data))
