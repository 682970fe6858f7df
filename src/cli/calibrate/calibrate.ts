import { homedir } from 'node:os'
import {
  createLog,
  flag,
  kinds,
  repeatableFlag,
  requiredFlag,
  switchFlag,
  systemClock,
} from '../../base/index.ts'
import { DRIVER_SETTINGS, OrderError, runRoutine } from '../../driver/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { programFolder } from '../command-line/program-folder.ts'
import { openProgress } from '../command-line/progress.ts'
import { dropCredentials } from '../command-line/protect-memory.ts'
import { untilStopped } from '../command-line/signals.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { drawOptionsOf } from '../plot/terminal.ts'
import { describeReport } from './describe-report.ts'

/** Exit status after Ctrl+C, as of a shell. */
const INTERRUPTED = 130

export const calibrateCommand = defineCommand({
  summary: 'Run one calibration routine now, without a server, and show what it finds',
  flags: {
    routine: requiredFlag(kinds.nonEmptyText('name'), 'Routine to run, such as rabi_oscillations'),
    target: repeatableFlag(
      kinds.nonEmptyList(kinds.nonEmptyText('name')),
      'Qubit or edge; may be repeated; if unset, all that calibration.yml names',
    ),
    write: switchFlag(kinds.bool(), 'Write what is found into the device file, as a calibration does'),
    device: DRIVER_SETTINGS.device,
    option: DRIVER_SETTINGS.option,
    python: flag(kinds.nonEmptyText('path'), 'Python of routines that are written in it, as for start'),
    dataDir: DRIVER_SETTINGS.dataDir,
  },
  async run({ flags: { routine, target, write, device, option, dataDir, python } }) {
    const log = createLog({ level: 'warn' })
    const stop = new AbortController()
    void untilStopped(log, 'calibration').then(() => stop.abort())
    const progress = openProgress()
    try {
      const report = await runRoutine(
        { routine, targets: target.flat(), write, device, optionPairs: option, dataDir },
        {
          clock: systemClock,
          log,
          cwd: process.cwd(),
          home: homedir(),
          env: dropCredentials(),
          python: { given: python ?? process.env['SVC_PYTHON'] ?? '', beside: programFolder() },
          signal: stop.signal,
          onStep: ({ routine: name = 'preparing', target: on, running = [] }) =>
            progress.report([name, on ?? running.join(', ')].join(' ').trim()),
        },
      )
      if (report.status !== 'success') process.exitCode = 1
      return report
    } catch (error) {
      throw error instanceof OrderError ? new UsageError(error.message) : error
    } finally {
      progress.end()
      if (stop.signal.aborted) process.exitCode = INTERRUPTED
    }
  },
  print(report, { flags: { write } }) {
    const options = drawOptionsOf(process.stdout, process.env)
    console.log(describeReport(report, { ...options, write }).join('\n'))
  },
})
