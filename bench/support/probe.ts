/**
 * Asks a server for a path again and again until its input ends, and prints how long the slowest response
 * took, in ms: `probe.ts URL PATH`.
 */
import { argv, stdin } from 'node:process'

const [, , url, path] = argv

const PAUSE_MS = 10
let slowest = 0
let isOver = false
stdin.on('end', () => {
  isOver = true
})
stdin.resume()
while (!isOver) {
  const begun = performance.now()
  await (await fetch(`${url}${path}`)).text()
  slowest = Math.max(slowest, performance.now() - begun)
  await Bun.sleep(PAUSE_MS)
}
console.log(slowest)
process.exit()
