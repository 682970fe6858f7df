import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/index.ts'
import { InstrumentError } from '../../../src/devices/bench/instrument.ts'
import { SharedInstrument } from '../../../src/devices/bench/shared-instrument.ts'
import { AS_OTHER_USER } from '../../support/executable/other-user.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MODULE = require.resolve('../../../src/devices/bench/shared-instrument.ts')
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

function lockOf(instrument: string, user: string): SharedInstrument {
  return new SharedInstrument({ instrument, user, clock: systemClock, folder: folder.path })
}

describe('SharedInstrument', () => {
  test('knows whether others had the instrument in between', async () => {
    const [one, other] = [lockOf('[::1]:5025', 'scheduler_a'), lockOf('[::1]:5025', 'scheduler_a_tuner')]
    const used = async (lock: SharedInstrument) => {
      const hold = await lock.take({ ms: 0 })
      hold.release()
      return hold.isUninterrupted
    }
    const uses = []
    for (const lock of [one, one, other, one, one, other]) uses.push(await used(lock))
    expect(uses).toEqual([false, true, false, false, true, false])
  })

  test('is busy while another process has it, and names it', async () => {
    const hold = await lockOf('x:1', 'scheduler_a_tuner').take({ ms: 0 })
    const error = await lockOf('x:1', 'scheduler_a')
      .take({ ms: 30 })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InstrumentError)
    expect(error).toMatchObject({
      code: 'instrument_busy',
      message: expect.stringMatching(
        /^the instrument at x:1 is in use by scheduler_a_tuner \(process \d+\) since \d{4}-/,
      ),
    })
    const aborted = lockOf('x:1', 'scheduler_a').take({ ms: 60_000, signal: AbortSignal.abort('stopped') })
    expect(await aborted.catch((reason: unknown) => reason)).toBe('stopped')
    hold.release()
    ;(await lockOf('x:1', 'scheduler_a').take({ ms: 0 })).release()
  })

  test('goes to who has waited before it goes to the last holder again', async () => {
    const [busy, waiting] = [lockOf('y:1', 'scheduler_a'), lockOf('y:1', 'scheduler_a_tuner')]
    const order: string[] = []
    const first = await busy.take({ ms: 0 })
    const waiter = waiting.take({ ms: 60_000 }).then((hold) => {
      order.push('waiting')
      hold.release()
    })
    // The waiter has its turn before this take returns, which asks right after the release.
    first.release()
    const again = await busy.take({ ms: 60_000 })
    order.push('busy')
    again.release()
    await waiter
    expect(order).toEqual(['waiting', 'busy'])
  })

  test('is free after the process that had it was killed', async () => {
    const script = `
      const { SharedInstrument } = await import(${JSON.stringify(MODULE)})
      const { systemClock } = await import(${JSON.stringify(require.resolve('../../../src/base/index.ts'))})
      globalThis.hold = await new SharedInstrument({ instrument: 'z:1', user: 'scheduler_a', clock: systemClock, folder: process.argv.at(-1) }).take({ ms: 0 })
      console.log('held')
      setInterval(() => undefined, 1000)`
    const child = Bun.spawn([process.execPath, '-e', script, folder.path], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    await child.stdout.getReader().read()
    const lock = lockOf('z:1', 'scheduler_a_tuner')
    await expect(lock.take({ ms: 0 })).rejects.toThrow('is in use by scheduler_a')
    child.kill('SIGKILL')
    await child.exited
    const hold = await lock.take({ ms: 45_000 })
    expect(hold.isUninterrupted).toBe(false)
    hold.release()
  })

  test.skipIf(skips('an instrument that two users share', whyNot('setpriv')))(
    'is shared by processes of different users in a folder such as /tmp',
    async () => {
      using shared = temporaryFolder()
      chmodSync(shared.path, 0o1777)
      const code = await Bun.build({ entrypoints: [MODULE], target: 'bun' })
      const [module, program] = [join(shared.path, 'shared-instrument.js'), join(shared.path, 'bun')]
      writeFileSync(module, (await code.outputs[0]?.text()) ?? '')
      copyFileSync(process.execPath, program)
      const script = `
        const { SharedInstrument } = await import(${JSON.stringify(module)})
        const clock = { now: () => 0, monotonic: () => performance.now(), sleep: (ms) => Bun.sleep(ms) }
        const lock = new SharedInstrument({ instrument: 'w:1', user: 'other', clock, folder: ${JSON.stringify(shared.path)} })
        const hold = await lock.take({ ms: 0 })
        console.log(hold.isUninterrupted)
        hold.release()`
      const other = async () => {
        const command = [...AS_OTHER_USER, program, '-e', script]
        const child = Bun.spawn(command, { cwd: shared.path, stdio: ['ignore', 'pipe', 'ignore'] })
        return (await new Response(child.stdout).text()).trim()
      }
      const clock = systemClock
      const mine = new SharedInstrument({ instrument: 'w:1', user: 'mine', clock, folder: shared.path })
      const used = async () => {
        const hold = await mine.take({ ms: 0 })
        hold.release()
        return hold.isUninterrupted
      }
      expect([await used(), await used(), await other(), await used()]).toEqual([false, true, 'false', false])
      // Made by another user whose umask is strict, as by the release before.
      for (const name of ['next', 'lock']) chmodSync(join(shared.path, `svc-instrument-w_1.${name}`), 0o600)
      expect(await other()).toBe('')
    },
    60_000,
  )
})
