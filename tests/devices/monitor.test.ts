import { expect, test } from 'bun:test'
import { listDevices } from '../../src/devices/index.ts'
import { coldFridge } from '../support/devices/cryostat.ts'
import { type Equipment, monitorConformance } from './monitor.conformance.ts'

/** Prepares equipment for each built-in monitor. */
const EQUIPMENT: Record<string, () => Promise<Equipment>> = {
  async cryostat_gen1() {
    const secret = 'canary-4711'
    const fridge = await coldFridge({ apiKey: secret })
    return {
      pairs: [
        'channels=mapper.bf.tmixing:K,mapper.bf.tstill:K,mapper.bf.pulse_tube',
        `base_url=${fridge.url}`,
        `api_key=${secret}`,
        'poll_interval=1',
      ],
      setUnreachable: (isUnreachable) =>
        void (isUnreachable ? fridge.faults.set('*', 'dropped') : fridge.faults.clear()),
      secret,
      [Symbol.asyncDispose]: () => fridge.stop(),
    }
  },
}

for (const [name, prepare] of Object.entries(EQUIPMENT)) monitorConformance(name, prepare)

test('every built-in monitor has conformance tests', () => {
  expect(Object.keys(EQUIPMENT).sort()).toEqual(listDevices('monitor'))
})
