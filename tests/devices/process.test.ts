import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT_IN_DEVICES, JobError, jobFailureOf, listDevices } from '../../src/devices/index.ts'
import { notSafe } from '../../src/devices/safe-path.ts'
import { OPERATIONS } from '../../src/protocol/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { designFile } from '../support/tuning/acceptance/design-file.ts'
import { processConformance, runningConformance } from './process.conformance.ts'
import { ioOf, openProcess, payloadOf } from './support/jobs.ts'

/** A device file for the devices that need one. */
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const deviceFile = join(folder.path, 'scheduler.device.yml')
writeFileSync(deviceFile, designFile({ columns: 3, rows: 2 }))
const ofChip = [`scheduler_device_config=${deviceFile}`, 'is_dummy=true']

for (const name of listDevices('process')) {
  if (name.startsWith('scheduler_')) processConformance(name, ofChip, true)
  else processConformance(name)
}
for (const name of ['aer_sim', 'mock']) runningConformance(name)

test('BUILT_IN_DEVICES lists each device under its operation, in alphabetical order', async () => {
  for (const operation of OPERATIONS) {
    const names = listDevices(operation)
    expect(names).toEqual(names.toSorted())
    for (const [name, load] of Object.entries(BUILT_IN_DEVICES[operation])) {
      expect(await load()).toMatchObject({ name, operation })
    }
  }
  expect(listDevices('process')).toEqual(expect.arrayContaining(['aer_sim', 'mock', 'placeholder_device']))
})

test('placeholder_device checks a job and then reports at once that it cannot run it', async () => {
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

for (const [pair, reason] of [
  [
    'method=exact',
    'bad value for -o method: "exact"; expected one of automatic, statevector, stabilizer, trajectories, density_matrix, matrix_product_state',
  ],
  ['noise=/etc/passwd', `bad value for -o noise: ${notSafe('/etc/passwd')}`],
  ['max_qubits=30', 'bad value for -o max_qubits: "30"; expected a whole number from 1 to 28'],
  ['max_shots=0', 'bad value for -o max_shots: "0"; expected a whole number from 1 to 1000000'],
] as const) {
  test(`aer_sim refuses ${pair}`, async () => {
    await expect(openProcess('aer_sim', [pair])).rejects.toThrow(reason)
  })
}

test('aer_sim refuses more shots than max_shots and more qubits in use than max_qubits', async () => {
  const device = await openProcess('aer_sim', [
    'max_qubits=4',
    'max_shots=50',
    'method=statevector',
    'noise=none',
  ])
  const program = (size: number) =>
    `OPENQASM 3.0; include "stdgates.inc"; qubit[100] q; bit c; ${Array.from({ length: size }, (_, i) => `h q[${i}]; cx q[${i}], q[99];`).join('')} h q[99]; c = measure q[99];`
  const run = (size: number, shots: number) =>
    device.run({ id: 'a', attempt: 1, payload: payloadOf([program(size)], { shots }) }, ioOf())
  await expect(run(3, 51)).rejects.toMatchObject({
    message: 'circuit 0 requests 51 shots; aer_sim allows at most 50',
    errorCode: 'too_many_shots',
  })
  await expect(run(4, 50)).rejects.toMatchObject({
    message: 'circuit 0 cannot be simulated; statevector: needs 5 qubits, at most 4 fit',
    errorCode: 'too_many_qubits',
  })
  await expect(run(3, 50)).resolves.toBeObject()
})
