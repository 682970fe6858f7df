/**
 * A tuner reduced to its coupler current: `bias.process.ts RACK JOURNAL AMPS` restores what a former process
 * left changed, moves the current of one coupler, and brings it back. Prints a line when it has restored.
 */
import { createLog, systemClock } from '../../../../src/base/index.ts'
import type { CouplerBias } from '../../../../src/devices/bench/current/coupler-bias.ts'
import { CouplerCurrents } from '../../../../src/devices/bench/current/coupler-currents.ts'
import { CurrentJournal } from '../../../../src/devices/bench/current/journal.ts'
import { openSource } from '../../../../src/devices/bench/current/open-source.ts'
import { restoreLeftOver } from '../../../../src/devices/bench/current/restore-left-over.ts'

const [rack = '', path = '', amps = ''] = process.argv.slice(2)
const log = createLog({ level: 'error' })
const options = { spiRackAddress: rack, clock: systemClock, log }
const journal = new CurrentJournal(path)
const notes = await restoreLeftOver(journal, options)
console.log(`restored ${notes.length}`)
const couplers: CouplerBias[] = [{ edge: 'q0_q1', address: { source: 'spi', module: 2, output: 0 } }]
const opened = await openSource(couplers, options)
if (!opened.source) throw new Error(opened.reason)
const currents = new CouplerCurrents({ couplers, source: opened.source, journal, clock: systemClock, log })
await currents.move('q0_q1', Number(amps), { run: 'run1' })
await currents.restore()
await currents.close()
console.log('done')
