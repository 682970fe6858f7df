/**
 * The long form of the test of a bad network: `npx bun run scripts/endurance/network-faults.ts [--minutes 30]
 * [--loss 0.02] [--duplicates 0.02] [--delay 10] [--jitter 40]` (shares of packets, ms). Takes Linux and
 * root. Prints what was lost, duplicated or charged twice; exits with 1 unless all of it is 0.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { whyNoBadCable } from '../../tests/support/faults/bad-cable.ts'
import { networkFaults } from '../../tests/support/faults/network-faults.ts'
import { ensureBuild } from '../ensure-build.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    loss: { type: 'string', default: '0.02' },
    duplicates: { type: 'string', default: '0.02' },
    delay: { type: 'string', default: '10' },
    jitter: { type: 'string', default: '40' },
  },
})
const why = await whyNoBadCable()
if (why !== undefined) {
  console.error(`cannot be tried here: ${why}`)
  process.exit(1)
}
await ensureBuild()
const folder = mkdtempSync(join(tmpdir(), 'svc-network-'))
const report = await networkFaults({
  folder,
  seconds: Number(values.minutes) * 60,
  quality: {
    loss: Number(values.loss),
    duplicates: Number(values.duplicates),
    delayMs: Number(values.delay),
    jitterMs: Number(values.jitter),
  },
  report: console.log,
})
console.table(report)
const bad = report.lost + report.duplicated + report.completedTwice + report.chargedTwice + report.uncharged
const isGood = bad === 0 && report.doctor === 'clean'
if (isGood) rmSync(folder, { recursive: true, force: true })
else console.error(`kept for a look: ${folder}`)
process.exit(isGood ? 0 : 1)
