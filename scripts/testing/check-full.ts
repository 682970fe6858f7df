/**
 * `npm run check:full [-- PART …]`: everything that the gate leaves out because it needs other software, much
 * time, or a machine of its own. Prints a line for each part and the names of everything that failed.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PARTS, type Part } from './parts.ts'
import { type PartResult, runPart } from './run-part.ts'

const ROOT = join(import.meta.dir, '../..')
/** With `CI`, a test whose software is missing fails; it is skipped otherwise. */
const ENVIRONMENT = { ...process.env, CI: 'true' }

/** What the tests use, installed before them because it takes longer than a test may. */
const INSTALLATIONS = [
  ['bash', '.ci/packages', 'full'],
  [process.execPath, 'run', 'tests/support/python/python.ts'],
  [process.execPath, 'run', 'tests/support/litestream/litestream.ts'],
]

const countsOf = ({ passed, failed, skipped }: Omit<PartResult, 'names'>) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

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
  const script = part.script ?? ['scripts/test.ts', ...(part.tests ?? [])]
  const log = join(folder, `${part.name}.log`)
  const env = { ...ENVIRONMENT, SVC_TESTS: 'whole', ...part.env }
  const result = await runPart(script, { root: ROOT, env, log })
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(`${countsOf(result)} (${minutes} min)`)
  results.push([part, result])
}
for (const [{ name }, result] of results) {
  for (const line of result.names) console.log(`${name}: ${line}`)
}
const sum = (count: 'passed' | 'failed' | 'skipped') =>
  results.reduce((total, [, result]) => total + result[count], 0)
console.log(countsOf({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }))
process.exit(sum('failed') === 0 ? 0 : 1)
