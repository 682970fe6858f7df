/**
 * `bun run scripts/testing/mutants/check-mutants.ts`: `check-limits.ts`, then `check-core.ts`, with the sum
 * of both.
 */
import { join } from 'node:path'
import { COUNTS } from '../run-part.ts'

const ROOT = join(import.meta.dir, '../../..')
const [total, statuses]: [number[], number[]] = [[0, 0], []]
for (const script of ['check-limits.ts', 'check-core.ts']) {
  const run = Bun.spawn([process.execPath, 'run', join(import.meta.dir, script)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of run.stdout) {
    const read = decoder.decode(chunk, { stream: true })
    process.stdout.write(read)
    text += read
  }
  statuses.push(await run.exited)
  const counts = [...text.matchAll(COUNTS)].at(-1)
  for (const each of [0, 1]) total[each] = (total[each] ?? 0) + Number(counts?.[each + 1] ?? 0)
}
console.log(`${total[0]} passed, ${total[1]} failed`)
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1
