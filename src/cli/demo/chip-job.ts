import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import hardwareFile from '../../../examples/scheduler.hardware.json' with { type: 'json' }
import { messageOf } from '../../base/index.ts'
import { BELL, countLines, SHOTS } from './bell-pair.ts'
import { CHIP_QPU } from './chip.ts'
import type { DemoClient } from './client.ts'
import { startDemoDriver } from './driver.ts'

interface ChipJobDemo {
  /** As superuser. */
  admin: DemoClient
  user: DemoClient
  url: string
  /** Folder of the demo's files. */
  folder: string
  /** Folder of the files of a chip that a tuner has calibrated, with its data in `data`. */
  chipFolder: string
  /** What the driver of the chip's QPU connects with. */
  access: { token: string; fingerprint: string }
  say(text?: string): void
}

/** The wiring of the example, with the simulated chip of the tuner as the address of the cluster. */
function simulatedHardware(): string {
  const { cluster0 } = hardwareFile.hardware_description
  const simulated = { ...cluster0, ip: 'sim:data/simulated.chip.yml' }
  return JSON.stringify({ ...hardwareFile, hardware_description: { cluster0: simulated } }, null, 2)
}

const described = v.object({
  description: v.nullish(
    v.object({ qubits: v.optional(v.array(v.object({ readout_error: v.optional(v.number()) })), []) }),
  ),
})

/**
 * Runs a Bell pair as a job on the chip that was calibrated, by the values in its device file. A chip of
 * which too little was calibrated is said to have none. Returns a function that stops the driver.
 */
export async function demonstrateChipJob({ admin, user, url, folder, chipFolder, access, say }: ChipJobDemo) {
  const hardware = join(chipFolder, 'simulated.hardware.json')
  writeFileSync(hardware, simulatedHardware())
  const options = [
    `scheduler_device_config=${join(chipFolder, 'scheduler.device.yml')}`,
    `scheduler_hardware_config=${hardware}`,
  ]
  const [operation, device] = ['process', 'scheduler_a'] as const
  const driver = startDemoDriver(folder, url, { name: CHIP_QPU, operation, device, options, ...access })
  await admin.untilOnline(CHIP_QPU, driver)
  say()
  say(`Submitting the Bell pair to the chip: ${device} compiles it to pulses with the values just found`)
  try {
    const job = await user.runJob({ circuits: [{ circuit: BELL }], shots: SHOTS, qpu_target: CHIP_QPU })
    say(`Job ${job.id} ${job.status} in ${job.duration} s of QPU time; counts:`)
    for (const line of ['', ...countLines(job.counts), '']) say(line)
    const { description } = await admin.call(described, 'GET', `/api/qpus/${CHIP_QPU}`)
    const errors = description?.qubits.slice(0, 2).map(({ readout_error }) => readout_error) ?? []
    say(agreement(job.counts, errors))
  } catch (error) {
    say(`No Bell pair: ${messageOf(error)}`)
  }
  return async function stop(): Promise<void> {
    driver.kill('SIGTERM')
    await driver.exited
  }
}

/** Share of the shots in which both bits agree, beside the share that readout alone leaves of it. */
function agreement(
  counts: Readonly<Record<string, number>>,
  errors: readonly (number | undefined)[],
): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const share = ((counts['00'] ?? 0) + (counts['11'] ?? 0)) / SHOTS
  const [first, second] = errors
  if (first === undefined || second === undefined)
    return `Both bits agree in ${percent(share)} of the shots; the errors of the readout were not measured`
  // Two errors of readout agree again.
  const best = (1 - first) * (1 - second) + first * second
  const each = `${percent(first)} and ${percent(second)}`
  return `Both bits agree in ${percent(share)} of the shots; errors of readout, preparation included, of ${each} leave about ${percent(best)}`
}
