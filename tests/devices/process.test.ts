import { expect, test } from 'bun:test'
import { BUILT_IN_DEVICES, JobError, jobFailureOf, listDevices } from '../../src/devices/index.ts'
import { processConformance, runningConformance } from './process.conformance.ts'
import { ioOf, openProcess, payloadOf } from './support/jobs.ts'

for (const name of listDevices('process')) processConformance(name)
for (const name of ['aer_sim', 'mock']) runningConformance(name)

test('BUILT_IN_DEVICES lists each device under its operation, in alphabetical order', () => {
  for (const operation of ['process', 'monitor', 'calibrate'] as const) {
    const names = BUILT_IN_DEVICES[operation].map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    expect(BUILT_IN_DEVICES[operation].every((def) => def.operation === operation)).toBe(true)
  }
  expect(listDevices('process')).toEqual(expect.arrayContaining(['aer_sim', 'mock', 'placeholder_device']))
})

test('placeholder_device checks a job and then says at once that it cannot run it', async () => {
  const device = await openProcess('placeholder_device')
  const payload = payloadOf(['OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; h q; c = measure q;'])
  const error = await device.run({ id: 'a', attempt: 1, payload }, ioOf()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(JobError)
  expect(jobFailureOf(error)).toEqual({
    failure: {
      class: 'user',
      message: 'placeholder_device has no backend: job not run',
      error_code: 'not_implemented',
    },
    executed: false,
  })
})
