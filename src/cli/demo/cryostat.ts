import { systemClock } from '../../base/index.ts'
import { startSimulatedFridge } from '../../devices/index.ts'
import type { DemoClient } from './client.ts'
import { startDemoDriver } from './driver.ts'

/** An hour of the cool-down passes in a second. */
const TIME_SCALE = 3_600
const CHANNELS = [
  ...['t50k:K', 't4k:K', 'tstill:K', 'tmixing:K'],
  ...['p1:mbar', 'p2:mbar', 'p3:mbar', 'p4:mbar', 'p5:mbar', 'p6:mbar'],
  ...['flow:mmol/s', 'cpatempwo:C'],
].map((channel) => `mapper.bf.${channel}`)
/** Shown in the terminal, which has no room for all. */
const SHOWN = ['t50k', 't4k', 'tmixing', 'p1', 'cpatempwo']
const POLLS_SHOWN = 4

interface CryostatDemo {
  /** As superuser. */
  admin: DemoClient
  url: string
  /** Where the files of the demo lie. */
  folder: string
  /** Name of the QPU in the fridge. */
  qpu: string
  say(text?: string): void
}

/**
 * Plays a fridge that cools down, lets a driver read it, and prints the first readings that the server has stored.
 * Returns how to end it.
 */
export async function demonstrateCryostat({ admin, url, folder, qpu, say }: CryostatDemo) {
  const fridge = await startSimulatedFridge({ clock: systemClock, timeScale: TIME_SCALE })
  const operation = 'monitor'
  const device = 'cryostat_gen1'
  const name = `${qpu}_cryostat`
  const access = await admin.registerDriver({ name, qpu, operation, device })
  const options = [`channels=${CHANNELS.join(',')}`, `base_url=${fridge.url}`, 'poll_interval=1']
  say()
  say(`Playing a cryostat at ${fridge.url}, an hour of cool-down per second; ${device} reads it.`)
  say('Readings the server has stored:')
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
