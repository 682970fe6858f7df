import { expect, test } from 'bun:test'
import { describeDevices, listDevices } from '../../src/devices/index.ts'
import { OPERATIONS } from '../../src/protocol/index.ts'

const described = await describeDevices()
const optionsOf = (name: string) => described.find((device) => device.name === name)?.options ?? []
const option = (device: string, key: string) => optionsOf(device).find((each) => each.key === key)

test('every built-in device is described once, with the options of its driver', () => {
  for (const operation of OPERATIONS) {
    const names = described.filter((device) => device.operation === operation).map(({ name }) => name)
    expect(names.sort()).toEqual(listDevices(operation))
  }
  for (const { options } of described) {
    expect(options.map(({ key }) => key)).toContain('data_dir')
    expect(new Set(options.map(({ key }) => key)).size).toBe(options.length)
    for (const { help } of options) expect(help).not.toBe('')
  }
})

test('an option has its form, its default as text, and whether it is required or secret', () => {
  expect(option('cryostat_gen1', 'channels')).toMatchObject({ required: true, default: null, secret: false })
  expect(option('cryostat_gen1', 'api_key')).toMatchObject({ form: 'text', default: null, secret: true })
  expect(option('cryostat_gen1', 'poll_interval')).toMatchObject({ form: 'seconds', default: '5' })
  expect(option('cryostat_gen1', 'SVC_CRYOSTAT_CA_FILE')).toMatchObject({
    source: 'environment',
    form: 'path',
  })
  expect(option('scheduler_a', 'is_dummy')).toMatchObject({ form: 'boolean', default: 'false' })
  const method = option('aer_sim', 'method')
  expect(method).toMatchObject({ form: 'choice', choices: expect.arrayContaining(['statevector']) })
})

test('an option has a label, and a unit and a heading where they are declared', () => {
  expect(option('scheduler_b_tuner', 'drift_check_interval')).toMatchObject({
    label: 'Interval',
    group: 'Drift checks',
    unit: null,
  })
  expect(option('cryostat_gen1', 'poll_interval')).toMatchObject({ unit: 's' })
  expect(option('mock', 'readout_error')).toMatchObject({ label: 'Readout error', group: 'Simulation' })
})

test('an option that a device accepts without effect is not described', () => {
  expect(option('mock', 'is_dummy')).toBeUndefined()
})
