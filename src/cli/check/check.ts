import { homedir } from 'node:os'
import { createLog, flag, kinds, switchFlag, systemClock } from '../../base/index.ts'
import { checkDeviceInstrument, DRIVER_SETTINGS, type InstrumentCheck } from '../../driver/index.ts'
import { OPERATIONS } from '../../protocol/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { dropCredentials } from '../command-line/protect-memory.ts'

export const checkCommand = defineCommand({
  summary: 'Check the files or the instrument of a device, without a server and without touching its outputs',
  flags: {
    operation: flag(kinds.choice(OPERATIONS), 'Operation of the device; process if unset'),
    device: DRIVER_SETTINGS.device,
    option: DRIVER_SETTINGS.option,
    dataDir: DRIVER_SETTINGS.dataDir,
    files: switchFlag(
      kinds.bool(),
      'Check only the files of the device, on any machine: which gates can be played, or all problems',
    ),
    reset: switchFlag(
      kinds.bool(),
      'Reset the instrument first, which sets all static voltages to 0: couplers lose their currents',
    ),
  },
  async run({ flags: { operation = 'process', device, option, dataDir, reset, files } }) {
    const checks = await checkDeviceInstrument(
      { operation, device, optionPairs: option, dataDir, isReset: reset, isFilesOnly: files },
      {
        clock: systemClock,
        log: createLog({ level: 'warn' }),
        cwd: process.cwd(),
        home: homedir(),
        env: dropCredentials(),
      },
    )
    if (checks.some(({ passed }) => !passed)) process.exitCode = 1
    return checks
  },
  print(checks) {
    console.log(checkTable(checks).join('\n'))
  },
})

/** The steps as a table with a line of summary. */
export function checkTable(checks: readonly InstrumentCheck[]): string[] {
  const widthOf = (key: 'step' | 'subject') => Math.max(0, ...checks.map((check) => check[key].length))
  const [step, subject] = [widthOf('step'), widthOf('subject')]
  const rows = checks.map((check) =>
    [
      check.passed ? 'ok    ' : 'FAILED',
      check.step.padEnd(step),
      check.subject.padEnd(subject),
      check.detail,
    ].join('  '),
  )
  const [failed, ...others] = checks.filter(({ passed }) => !passed)
  if (!failed) return [...rows, '', 'All checks passed']
  const isOfFiles = failed.step === 'files'
  const problems = `${others.length + 1} ${others.length === 0 ? 'problem' : 'problems'} of the files`
  return [...rows, '', isOfFiles ? problems : `Stopped at the first mismatch: ${failed.step}`]
}
