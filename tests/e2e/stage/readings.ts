import { Database } from 'bun:sqlite'
import { coolDown } from '../../../src/devices/monitor/cryostat_gen1/simulated-fridge/cool-down.ts'
import { numbersFrom } from './chip-file.ts'

/** The channels of the cryostat with their units. */
export const CHANNELS = {
  'mapper.bf.t50k': 'K',
  'mapper.bf.t4k': 'K',
  'mapper.bf.tstill': 'K',
  'mapper.bf.tmixing': 'K',
  'mapper.bf.p1': 'mbar',
  'mapper.bf.p2': 'mbar',
  'mapper.bf.flow': 'mmol/s',
} as const

/** Simulated hours after which a cool-down has ended. */
export const COLD_AFTER_H = 50
const STEP_S = 60

/**
 * Writes the readings of the last `hours` into the database of a stopped server: a cryostat with a warm hour
 * and a gap, which the pumps have cooled for `cooled` simulated hours at the begin. The server adds them up
 * when it starts.
 */
export function seedReadings(
  path: string,
  driver: { id: string; name: string; qpu: string },
  hours: number,
  cooled = COLD_AFTER_H,
): void {
  using file = new Database(path, { strict: true })
  const channels = coolDown()
  const insert = file.prepare(
    `INSERT INTO events (id, source, driver, qpu, type, payload, ts, created, updated)
     VALUES ($id, $name, $driver, $qpu, 'CryostatReading', $payload, $ts, $ts, $ts)`,
  )
  const random = numbersFrom(hours)
  const steps = (hours * 3_600) / STEP_S
  const end = Date.now() - STEP_S * 1_000
  file.transaction(() => {
    for (let step = 0; step < steps; step += 1) {
      const age = (steps - step) / steps
      if (age > 0.32 && age < 0.35) continue
      const ts = new Date(end - (steps - step) * STEP_S * 1_000).toISOString()
      const warm = age > 0.55 && age < 0.6 ? 2.4 : 1
      const readings = Object.entries(CHANNELS).map(([channel, unit]) => {
        const value = channels.get(channel)?.(Math.max(0, cooled * 3_600 + step * STEP_S)) ?? 0
        const shift = unit === 'K' ? warm : 1
        return [
          channel,
          { value: value * shift * (1 + 0.02 * (random() - 0.5)), unit, status: 'SYNCHRONIZED' },
        ]
      })
      const payload = JSON.stringify({ readings: Object.fromEntries(readings) })
      const id = `${driver.id.slice(-5)}${String(step).padStart(10, '0')}`
      insert.run({ id, name: driver.name, driver: driver.id, qpu: driver.qpu, payload, ts })
    }
  })()
}

/** Writes readings of some minutes ago, one second apart, into the database of a stopped server. */
export function addReadings(
  path: string,
  driver: { id: string; name: string; qpu: string },
  channels: Readonly<Record<string, readonly number[]>>,
): void {
  using file = new Database(path, { strict: true })
  for (const [channel, values] of Object.entries(channels))
    for (const [at, value] of values.entries()) {
      const ts = new Date(Date.now() - 300_000 + at * 1_000).toISOString()
      const payload = JSON.stringify({
        readings: { [channel]: { value, unit: 'K', status: 'SYNCHRONIZED' } },
      })
      file
        .prepare(
          `INSERT INTO events (id, source, driver, qpu, type, payload, ts, created, updated)
           VALUES ($event, $name, $id, $qpu, 'CryostatReading', $payload, $ts, $ts, $ts)`,
        )
        .run({ ...driver, event: `${driver.id.slice(-5)}${channel.slice(-8)}${at}`, payload, ts })
    }
}
