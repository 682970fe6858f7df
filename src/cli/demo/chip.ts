import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import deviceFile from '../../../examples/scheduler.device.yml' with { type: 'text' }
import { AppError } from '../../base/index.ts'
import { openProgress } from '../command-line/progress.ts'
import { CalibrationClient } from './calibration-client.ts'
import { describeFits, describeProgress, describeValues } from './calibration-view.ts'
import type { DemoClient } from './client.ts'
import { startDemoDriver } from './driver.ts'

const CONFIG = `# Two qubits and the coupler between them; remove the line for the whole chip, which takes longer.
target_qubits: [q0, q1]
`

interface ChipDemo {
  /** As superuser. */
  admin: DemoClient
  url: string
  /** Folder of the demo's files. */
  folder: string
  /** Folder of the chip's files; those that exist are used. */
  chipFolder: string
  say(text?: string): void
}

/** Name of the QPU that the chip is: it is calibrated, and runs jobs. */
export const CHIP_QPU = 'transmons'

/**
 * Registers a QPU, runs a tuner of its simulated chip, requests a full calibration from the server, shows its
 * progress and what it found. Returns the access of the QPU and a function that stops the tuner.
 * @throws AppError when the tuner ends, or the calibration fails.
 */
export async function demonstrateChip({ admin, url, folder, chipFolder, say }: ChipDemo) {
  const file = (name: string) => join(chipFolder, name)
  mkdirSync(chipFolder, { recursive: true })
  place(file('scheduler.device.yml'), deviceFile)
  place(file('calibration.yml'), CONFIG)
  const [operation, device, name] = ['calibrate', 'scheduler_a_tuner', `${CHIP_QPU}_tuner`] as const
  const qpu = await admin.registerQpu(CHIP_QPU, 'scheduler_a')
  const access = await admin.registerDriver({ name, qpu: CHIP_QPU, operation, device })
  const options = [
    'is_simulated=true',
    `calibration_config=${file('calibration.yml')}`,
    `scheduler_device_config=${file('scheduler.device.yml')}`,
  ]
  say()
  say(`Calibrating a simulated chip; ${device} runs in a separate process and knows the chip only by its`)
  say(`measurements. It starts from the design in ${file('scheduler.device.yml')}`)
  const driver = startDemoDriver(folder, url, {
    name,
    operation,
    device,
    options,
    ...access,
    dataDir: file('data'),
  })
  const calibrations = new CalibrationClient(admin)
  const request = await calibrations.request(access.id)
  const report = await follow(calibrations, request, driver, say)
  if (report.routines.length === 0) throw new AppError('internal', `The calibration failed: ${report.error}`)
  for (const line of ['', ...describeFits(report), '', ...describeValues(report)]) say(line)
  for (const error of report.error.split('\n').filter((line) => line !== '')) say(`  failed: ${error}`)
  if (report.status === 'failed')
    throw new AppError('internal', 'The calibration failed: see its errors above')
  const changed = report.device_file?.changed ?? 0
  say(`${changed} values are now in scheduler.device.yml, its former content in scheduler.device.yml.prev`)
  return {
    request,
    qpu,
    async stop(): Promise<void> {
      driver.kill('SIGTERM')
      await driver.exited
    },
  }
}

function place(path: string, text: string): void {
  if (!existsSync(path)) writeFileSync(path, text)
}

/** Shows the progress of a request until its report: a bar on a terminal, otherwise a line per routine. */
async function follow(
  calibrations: CalibrationClient,
  request: string,
  driver: Bun.Subprocess,
  say: (text?: string) => void,
) {
  const bar = openProgress()
  const isShown = process.stderr.isTTY
  let last = ''
  try {
    for await (const progress of calibrations.follow(request, driver)) {
      const { line, routine } = describeProgress(progress)
      if (isShown) bar.report(line)
      else if (routine !== last) say(`  ${line}`)
      last = routine
    }
  } finally {
    bar.end()
  }
  return calibrations.report(request)
}
