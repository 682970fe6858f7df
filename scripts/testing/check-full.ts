/**
 * `npm run check:full [-- PART …]`: everything that the gate leaves out because it needs other software, much
 * time, or a machine of its own. Prints a line for each part and the names of everything that failed.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PARTS, type Part } from './parts.ts'

const ROOT = join(import.meta.dir, '../..')
/** The last line that counts, of tests or of attacks. */
const COUNTS = /^(\d+) (?:attacks )?passed, (\d+) failed/gm
const NAMES = /^(?:failed|unstable): .*/gm

interface PartResult {
  passed: number
  failed: number
  names: readonly string[]
}

/** With `CI`, a test whose software is missing fails; it is skipped otherwise. */
const ENVIRONMENT = { ...process.env, CI: 'true' }

/** What the tests use, installed before them because it takes longer than a test may. */
const INSTALLATIONS = [
  ['bash', '.ci/packages', 'full'],
  [process.execPath, 'run', 'tests/support/python/python.ts'],
  [process.execPath, 'run', 'tests/support/litestream/litestream.ts'],
]

/** Runs one part, with all that it prints in `log`. A part that ends without counts has one failure. */
async function runPart({ tests, script }: Part, log: string): Promise<PartResult> {
  const command = script ?? ['scripts/test.ts', ...(tests ?? [])]
  const run = Bun.spawn([process.execPath, 'run', ...command], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdin: 'ignore',
    stdout: Bun.file(log),
    stderr: Bun.file(log),
  })
  const status = await run.exited
  const text = readFileSync(log, 'utf8')
  const [, passed = 0, failed = 0] = [...text.matchAll(COUNTS)].at(-1) ?? []
  const isExplained = status === 0 || Number(failed) > 0
  return {
    passed: Number(passed),
    failed: isExplained ? Number(failed) : 1,
    names: [...(text.match(NAMES) ?? []), ...(isExplained ? [] : [`failed: exited with status ${status}`])],
  }
}

const names = process.argv.slice(2)
const parts = names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name))
const unknown = names.filter((name) => !PARTS.some((part) => part.name === name))
if (unknown.length > 0) {
  console.error(`No part is named ${unknown.join(', ')}. Parts: ${PARTS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

for (const command of INSTALLATIONS) {
  const run = Bun.spawn(command, { cwd: ROOT, env: ENVIRONMENT, stdio: ['ignore', 'inherit', 'inherit'] })
  if ((await run.exited) !== 0) process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'svc-check-'))
console.log(`Output of each part: ${folder}`)
const results: [Part, PartResult][] = []
for (const part of parts) {
  const started = performance.now()
  process.stdout.write(`${part.name.padEnd(15)}`)
  const result = await runPart(part, join(folder, `${part.name}.log`))
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(`${result.passed} passed, ${result.failed} failed (${minutes} min)`)
  results.push([part, result])
}
for (const [{ name }, result] of results) {
  for (const line of result.names) console.log(`${name}: ${line}`)
}
const sum = (count: 'passed' | 'failed') => results.reduce((total, [, result]) => total + result[count], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
