import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SpiRack } from '../../../support/spi-rack.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { part } from '../../../support/whole.ts'

const PROCESS = join(import.meta.dir, '../support/bias.process.ts')
const BEFORE = 0.5e-3
const RESOLUTION = 50e-3 / 2 ** 18
/** Two steps there, two back. */
const TARGET = BEFORE + 1.5e-6
const RATES = { normal: 40e-6, emergency: 1e-3 }

/**
 * Runs the process until it ends or until the rack has seen `transfers` messages; returns what it printed.
 */
async function runUntil(rack: SpiRack, journal: string, transfers: number): Promise<string> {
  const child = Bun.spawn([process.execPath, PROCESS, rack.address, journal, String(TARGET)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const first = rack.transfers
  rack.onTransfer = ({ number }) => {
    if (number - first < transfers) return 'serve'
    // The message takes effect, and nobody reads its reply.
    if (number - first === transfers) child.kill('SIGKILL')
    return number - first === transfers ? 'serve' : 'ignore'
  }
  await child.exited
  rack.disconnect()
  return new Response(child.stdout).text()
}

test('killed at any message to the rack, a process leaves what the next one restores first', async () => {
  using folder = temporaryFolder()
  const journal = join(folder.path, 'bias.journal.json')
  await using rack = await SpiRack.start()
  rack.preset(2, 0, { span: 4, amps: BEFORE })
  const before = rack.current(2, 0)
  let restored = 0
  for (let transfers = 1; ; transfers += part(1, 3)) {
    const changes = rack.changes.length
    const left = { hasJournal: existsSync(journal), isOff: rack.current(2, 0) !== before }
    const printed = await runUntil(rack, journal, transfers)
    // A current that differs is always in the journal.
    expect(rack.current(2, 0) === before || existsSync(journal)).toBe(true)
    if (!printed.includes('restored')) continue
    expect(printed).toContain(`restored ${left.hasJournal ? 1 : 0}`)
    if (left.isOff) expect(rack.changes.slice(changes).map(({ to }) => to)).toContain(before)
    restored += left.hasJournal ? 1 : 0
    if (printed.includes('done')) break
  }
  expect(restored).toBeGreaterThan(0)
  expect(existsSync(journal)).toBe(false)
  expect(rack.current(2, 0)).toBe(before)
  expect(rack.spanWrites).toBe(0)
  expect(rack.changes.length).toBeGreaterThan(10)
  for (const { from, to } of rack.changes) expect(Math.abs(to - from)).toBeLessThanOrEqual(1e-6)
  expectWithinRate(rack, before)
}, 60_000)

/**
 * Over any stretch of a ramp the current moves by at most rate × time and one step; the way back is faster.
 */
function expectWithinRate({ changes }: SpiRack, before: number): void {
  for (const [each, { at, from }] of changes.entries()) {
    for (const { at: end, to } of changes.slice(each + 1)) {
      const rate = Math.abs(to - before) < Math.abs(from - before) ? RATES.emergency : RATES.normal
      expect(Math.abs(to - from)).toBeLessThanOrEqual(rate * ((end - at) / 1_000) + 1e-6 + RESOLUTION / 1e3)
    }
  }
}
