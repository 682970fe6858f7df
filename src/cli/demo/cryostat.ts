import { systemClock } from '../../base/index.ts'
import { startSimulatedFridge } from '../../devices/index.ts'
import type { DemoClient } from './client.ts'
import { startDemoDriver } from './driver.ts'

/** One hour of the cool-down takes one second. */
const TIME_SCALE = 3_600
const CHANNELS = [
  't50k:K',
  't4k:K',
  'tstill:K',
  'tmixing:K',
  'p1:mbar',
  'p2:mbar',
  'p3:mbar',
  'p4:mbar',
  'p5:mbar',
  'p6:mbar',
  'flow:mmol/s',
  'cpatempwo:C',
].map((channel) => `mapper.bf.${channel}`)
/** Shown in the terminal, which is too narrow for all channels. */
const SHOWN = ['t50k', 't4k', 'tmixing', 'p1', 'cpatempwo']
const POLLS_SHOWN = 4

interface CryostatDemo {
  /** As superuser. */
  admin: DemoClient
  url: string
  /** Folder of the demo's files. */
  folder: string
  /** Name of the QPU in the fridge. */
  qpu: string
  say(text?: string): void
}

/**
 * Simulates a fridge that cools down, runs a driver that reads it, and prints the first readings that the
 * server has stored. Returns a function that stops both.
 */
export async function demonstrateCryostat({ admin, url, folder, qpu, say }: CryostatDemo) {
  const fridge = await startSimulatedFridge({ clock: systemClock, timeScale: TIME_SCALE })
  const operation = 'monitor'
  const device = 'cryostat_gen1'
  const name = `${qpu}_cryostat`
  const access = await admin.registerDriver({ name, qpu, operation, device })
  const options = [`channels=${CHANNELS.join(',')}`, `base_url=${fridge.url}`, 'poll_interval=1']
  say()
  say(`Simulating a cryostat at ${fridge.url}, one hour of cool-down per second; ${device} reads it.`)
  say('Stored readings:')
  const driver = startDemoDriver(folder, url, { name, operation, device, options, ...access })
  for (const { ts, readings } of await admin.storedReadings(POLLS_SHOWN, driver)) {
    const shown = SHOWN.map((channel) => {
      const { value = null, unit = '' } = readings[`mapper.bf.${channel}`] ?? {}
      return `${channel} ${value?.toPrecision(3) ?? '-'} ${unit}`
    })
    say(`  ${ts.slice(11, 19)}  ${shown.join('   ')}`)
  }
  return async function stop(): Promise<void> {
    driver.kill('SIGTERM')
    await driver.exited
    await fridge.stop()
  }
}
