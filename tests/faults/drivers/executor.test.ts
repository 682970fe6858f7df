import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from '../../support/executable/background-process.ts'
import { FaultLab, ROW_TIMEOUT_MS, type Round } from '../../support/faults/fault-lab.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'

// F9: memory. Other failures of devices are in tests/black-box/jobs/failures.test.ts.
setDefaultTimeout(ROW_TIMEOUT_MS)

/** Exhausts the memory in a way that the job selects, at its first attempt. */
const GREEDY = `
  import { circuitResultOf, defineDevice, jobResultsOf } from 'svc/devices'
  const held = []
  const acts = {
    buffer() { new Uint8Array(2 ** 30).fill(1) },
    objects() { for (let i = 0; ; i += 1) held.push({ i, text: 'x' + i, list: [i, i, i, i] }) },
    async wait() { await new Promise(() => undefined) },
  }
  export const greedy = defineDevice({
    operation: 'process',
    name: 'greedy',
    create: (context) => ({
      async run(job) {
        const [, act] = /act: (\\w+)/.exec(job.payload.circuits[0].circuit) ?? []
        if (act && job.attempt === 1) await acts[act]()
        const circuit = { qubits: 2, clbits: 2, qregs: [], cregs: [] }
        const counts = { '00': job.payload.shots }
        const result = circuitResultOf({ circuitIndex: 0, circuit, shots: job.payload.shots, counts, metadata: {} })
        return jobResultsOf(context.device, [result], {})
      },
    }),
  })
  `
const MEMORY_BYTES = 700_000_000
let lab: FaultLab

beforeAll(async () => {
  // Longer than the device takes to fill its memory.
  lab = await FaultLab.open({ flags: ['--job-timeout', '20s'] })
  writeFileSync(join(lab.folder, 'greedy.js'), GREEDY)
})
afterAll(() => lab.close())

/** Process ids of the children of a process. */
function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').filter(Boolean).map(Number)
}

/**
 * Each round has a driver of its own: one whose device dies often waits longer and longer before it starts
 * another.
 */
const startGreedy = () =>
  lab.startDriver({ device: './greedy.js#greedy', prefix: ['prlimit', `--data=${MEMORY_BYTES}`] })

/** The driver has not noticed more than the end of its child. */
async function goesOn(driver: Running, { submit }: Round): Promise<void> {
  expect((await lab.untilCompleted(await submit())).attempt).toBe(1)
  expect(driver.log.split('"message":"connected"')).toHaveLength(2)
}

describe.skipIf(skips('memory of the device process', whyNot('prlimit')))('F9', () => {
  test.each([
    ['F9 out of memory, refused', 'buffer'],
    ['F9 out of memory, crashed', 'objects'],
  ])('%s: the job runs again, on a new device if need be', (name, act) =>
    lab.row(name, async (round) => {
      await using driver = await startGreedy()
      expect((await lab.untilCompleted(await round.submit(`// act: ${act}`))).attempt).toBe(2)
      await goesOn(driver, round)
    }),
  )

  test('a device that the kernel kills for its memory: its job runs again on a new one', () =>
    lab.row('F9 killed by the kernel', async (round) => {
      await using driver = await startGreedy()
      const id = await round.submit('// act: wait')
      await lab.untilEvent(id, 'started')
      for (const pid of childrenOf(driver.process.pid)) process.kill(pid, 'SIGKILL')
      expect((await lab.untilCompleted(id)).attempt).toBe(2)
      await goesOn(driver, round)
    }))
})
