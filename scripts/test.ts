// npm test: builds the executable when needed, runs every test and closes with `N passed, N failed`.
import { join } from 'node:path'
import { ensureBuild, ensureFailpointsBuild } from './ensure-build.ts'

/** Counts in the closing lines of `bun test`. */
export function readCounts(output: string): { pass: number; fail: number; skip: number } {
  const last = (word: string) => {
    const matches = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))]
    return Number(matches.at(-1)?.[1] ?? 0)
  }
  return { pass: last('pass'), fail: last('fail'), skip: last('skip') }
}

async function forward(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    process.stderr.write(chunk)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

if (import.meta.main) {
  await ensureBuild()
  await ensureFailpointsBuild()
  const started = performance.now()
  const run = Bun.spawn(
    [process.execPath, 'test', '--parallel=3', '--timeout=60000', ...process.argv.slice(2)],
    {
      cwd: join(import.meta.dir, '..'),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [out, err, status] = await Promise.all([forward(run.stdout), forward(run.stderr), run.exited])
  const { pass, fail, skip } = readCounts(`${out}\n${err}`)
  const failed = status !== 0 && fail === 0 ? 1 : fail
  console.log(`Tests took ${Math.round((performance.now() - started) / 1000)} s`)
  console.log(`${pass} passed, ${failed} failed${skip > 0 ? `, ${skip} skipped` : ''}`)
  process.exit(status === 0 && failed === 0 ? 0 : 1)
}
