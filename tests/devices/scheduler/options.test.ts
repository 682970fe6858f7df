import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { readOptions, resolveDevice } from '../../../src/devices/index.ts'

const CONFIG = 'scheduler_device_config=/tmp/scheduler.device.yml'

async function optionsOf(name: string, pairs: string[]) {
  const device = await resolveDevice({ operation: 'process', device: name, cwd: '/tmp' })
  const options = readOptions({ device, pairs, cwd: '/tmp', home: homedir(), dataDir: '/tmp/svc-test-data' })
  return options.options
}

test.each([
  ['scheduler_a', 'is_simulated=true'],
  ['scheduler_b', 'is_simulated=true'],
  ['scheduler_a', 'save_raw_data=true'],
])('%s does not know %s', async (name, pair) => {
  const reason = `unknown option ${pair.split('=')[0]} for process device ${name}`
  await expect(optionsOf(name, [CONFIG, pair])).rejects.toThrow(reason)
})

test('scheduler_b keeps raw data only when asked', async () => {
  expect(await optionsOf('scheduler_b', [CONFIG])).toMatchObject({ save_raw_data: false, is_dummy: false })
  expect(await optionsOf('scheduler-b', [CONFIG, 'save_raw_data=yes'])).toMatchObject({ save_raw_data: true })
})
