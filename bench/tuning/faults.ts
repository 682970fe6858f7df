/**
 * What the routines of a calibration accept of measurements that show nothing: `bun bench/tuning/faults.ts
 * [--faults 200] [--routine t1] [--seed N]`. The faults of each routine are noise, clipped samples and dead
 * qubits of simulated chips in equal parts, and zeros and samples that are no numbers once each, because
 * these are the same every time. Exits 1 when anything is accepted.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { BUILT_IN_ROUTINES } from '../../src/devices/tuning/routines/index.ts'
import { quietTruth } from '../../tests/support/simulated-chip/chips.ts'
import { acceptedDespite, appliesTo, CONSTANT, FAULTS } from '../../tests/support/tuning/acceptance/faults.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    routine: { type: 'string', default: '' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const each = Math.ceil(Number(flags.faults) / (FAULTS.length - CONSTANT.size))
const first = Number(flags.seed)
console.log(`seed ${first}\n`)
printHead(['routine', 'faults', 'accepted', 's'])
let sum = 0
for (const routine of BUILT_IN_ROUTINES) {
  if (!routine.name.includes(flags.routine)) continue
  const accepted: string[] = []
  let count = 0
  const start = performance.now()
  for (const fault of FAULTS) {
    if (!appliesTo(fault, routine)) continue
    const runs = CONSTANT.has(fault) ? 1 : each
    for (let run = 0; run < runs; run++) {
      const seed = first + run
      const truth = { ...quietTruth(2, seed), shots_noise: true }
      const found = await acceptedDespite(fault, routine, { truth, seed })
      if (found !== undefined) accepted.push(`  ${fault}, seed ${seed}: ${found}`)
      count++
    }
  }
  sum += accepted.length
  printRow([routine.name, String(count), String(accepted.length), (performance.now() - start) / 1000])
  if (accepted.length > 0) console.log(accepted.join('\n'))
}
if (sum > 0) process.exit(1)
