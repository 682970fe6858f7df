/** A thread that responds with what it was sent so far, and fails on the text `fail`. */
import { serveWorker, type WorkerEntry } from '../../../src/base/index.ts'

const sent: string[] = []

serveWorker<WorkerEntry<string, string>>((text, respond) => {
  if (text === 'fail') throw new Error('on request')
  if (text === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  sent.push(text)
  if (text !== 'opening') respond(sent.join(' '))
})
