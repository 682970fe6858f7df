/**
 * A device that uses a cluster as often as it is told: `cluster-user.process.ts process|tuner FOLDER COUNT
 * SHOTS`. The folder has `device.yml` and `hardware.json`. Prints a line when it has connected, waits for one
 * at its standard input, and prints a line of JSON for each job or calibration.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, systemClock } from '../../../../../src/base/index.ts'
import { createRng } from '../../../../../src/devices/index.ts'
import { provideSdk } from '../../../../../src/devices/provide-sdk.ts'
import { openPythonRoutines } from '../../../../../src/devices/tuning/python-routines/open-routines.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../../../src/devices/tuning/tuner-options.ts'
import { ioOf, openProcess, payloadOf } from '../../../support/jobs.ts'

const [role, folder = '', count = '1', shots = '20'] = process.argv.slice(2)
const [device, hardware] = [join(folder, 'device.yml'), join(folder, 'hardware.json')]
const CIRCUIT = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; x q[1]; c = measure q;'

/** Says that the device has connected, and waits until it may begin. */
async function begin(): Promise<void> {
  console.log('connected')
  for await (const _ of console) return
}

async function runJobs(): Promise<void> {
  const pairs = [`scheduler_device_config=${device}`, `scheduler_hardware_config=${hardware}`]
  const scheduler = await openProcess('scheduler_a', pairs)
  await begin()
  for (let at = 0; at < Number(count); at++) {
    // The qubits of the fake cluster have no discriminator.
    const payload = payloadOf([CIRCUIT], { shots: Number(shots), allow_uncalibrated: true })
    const job = { id: `job${at}`, attempt: 1, payload }
    const results = await scheduler.run(job, ioOf(60_000))
    console.log(JSON.stringify(results.circuit_results[0]?.counts))
  }
  await scheduler.stop?.({ extend: () => undefined })
}

async function runCalibrations(): Promise<void> {
  const config = join(folder, 'calibration.yml')
  writeFileSync(config, `version: 1\nroutines:\n  resonator_spectroscopy: {shots: ${shots}}\n`)
  const defaults = Object.fromEntries(Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]))
  const options = {
    ...defaults,
    ...{ scheduler_device_config: device, scheduler_hardware_config: hardware },
    calibration_config: config,
  } as TunerOptions
  const signal = new AbortController().signal
  const tuner = await createTuner(
    {
      ...{ name: 'tuner', device: 'scheduler_a_tuner', options, raw: {}, environment: {}, dataDir: folder },
      ...{ log: createLog({ level: 'error' }), clock: systemClock, signal },
      random: (seed = 1) => createRng(seed),
    },
    {
      routines: BUILT_IN_ROUTINES,
      openSimulated: () => Promise.reject(new Error('no chip')),
      provideSdk,
      openPythonRoutines,
    },
  )
  await tuner.start({ emit: () => undefined, signal, calibrateNow: async () => undefined })
  await begin()
  for (let at = 0; at < Number(count); at++) {
    const order = { runId: `run${at}`, routine: 'resonator_spectroscopy', targets: ['q0'], write: false }
    const findings = await tuner.runRoutine?.(order, { signal, progress: () => undefined })
    console.log(JSON.stringify({ status: findings?.status, errors: findings?.errors }))
  }
  await tuner.stop?.({ extend: () => undefined })
}

await (role === 'tuner' ? runCalibrations() : runJobs())
process.exit(0)
