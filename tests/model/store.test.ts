import { test } from 'bun:test'
import fc from 'fast-check'
import { part } from '../support/whole.ts'
import { StoreMachine } from './store-machine.ts'
import { steps } from './store-steps.ts'

test('the server follows the job model under any interleaving of faults, and all jobs end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const machine = await StoreMachine.open()
      try {
        for (const step of sequence) {
          await machine.run(step)
          await machine.compare()
        }
        await machine.heal()
        await machine.compare()
      } finally {
        await machine.close()
      }
    }),
    { numRuns: Number(process.env['STORE_RUNS'] ?? part(100, 15)), interruptAfterTimeLimit: 60_000 },
  )
}, 90_000)
