/**
 * A thread that asks a server for its health again and again, which needs no database, and posts how long
 * the slowest response took, in ms, when it is told to end.
 */
import { parentPort } from 'node:worker_threads'

const PAUSE_MS = 2
let slowest = 0
let isOver = false

parentPort?.on('message', async (url: string | null) => {
  if (url === null) {
    isOver = true
    return
  }
  while (!isOver) {
    const begun = performance.now()
    await (await fetch(`${url}/api/health`)).text()
    slowest = Math.max(slowest, performance.now() - begun)
    await Bun.sleep(PAUSE_MS)
  }
  parentPort?.postMessage(slowest)
})
