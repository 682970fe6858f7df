/**
 * The long form of the kill test: `npx bun run scripts/endurance/kill-loop.ts [--server 200] [--driver 100]`.
 * Prints what was lost, duplicated or charged twice; exits with 1 unless all of it is 0.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { killLoop } from '../../tests/support/executable/kill-loop.ts'
import { ensureBuild } from '../ensure-build.ts'

const { values } = parseArgs({
  options: { server: { type: 'string', default: '200' }, driver: { type: 'string', default: '100' } },
})
await ensureBuild()
const folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
const started = performance.now()
const report = await killLoop({
  folder,
  serverKills: Number(values.server),
  driverKills: Number(values.driver),
  report: console.log,
})
console.table({ ...report, seconds: Math.round((performance.now() - started) / 1000) })
const { lost, duplicated, completedTwice, chargedTwice, uncharged, misjudged } = report
const bad = lost + duplicated + completedTwice + chargedTwice + uncharged + misjudged
if (bad === 0 && report.doctor === 'clean') rmSync(folder, { recursive: true, force: true })
else console.error(`kept for a look: ${folder}`)
process.exit(bad === 0 && report.doctor === 'clean' ? 0 : 1)
