import { readDeviceFile } from '../chip/device-file.ts'
import { readText } from '../chip/files/watched-file.ts'
import { gatesOnHardware } from '../chip/hardware/cross-check.ts'
import { readHardwareFile } from '../chip/hardware/hardware-file.ts'
import { uncalibratedOf } from '../chip/uncalibrated.ts'
import type { InstrumentCheck } from '../define-device.ts'

/**
 * Checks both files of a chip against each other, without an instrument: a step for each problem of either
 * file, or one for each gate that says whether it can be played, and one for each part that is not used.
 * @param hardwarePath undefined leaves out what the hardware plays
 */
export function checkChipFiles(devicePath: string, hardwarePath: string | undefined): InstrumentCheck[] {
  const device = read(devicePath, readDeviceFile)
  const hardware = hardwarePath === undefined ? undefined : read(hardwarePath, readHardwareFile)
  const failed = [
    ...stepsOf('device file', 'problems' in device ? device.problems : [], false),
    ...stepsOf('hardware file', hardware && 'problems' in hardware ? hardware.problems : [], false),
  ]
  if ('problems' in device || (hardware && 'problems' in hardware)) return failed
  const gates = gatesOnHardware(device.chip, hardware).map(({ gate, element, uses, port, problem }) => {
    const missing = uncalibratedOf(element).filter(({ use }) => uses.includes(use))
    const reasons = [
      ...(problem === undefined ? [] : [problem]),
      ...(missing.length > 0 ? [`not calibrated: ${missing.map(({ reason }) => reason).join(', ')}`] : []),
    ]
    const detail =
      reasons.length === 0 ? `can be played at ${port}` : `cannot be played: ${reasons.join('; ')}`
    return { step: 'gate', subject: gate, passed: true, detail }
  })
  return [
    ...gates,
    ...stepsOf('not used', device.unrecognized, true),
    ...stepsOf('not used', [...(hardware?.unused ?? []), ...(hardware?.unplayable ?? [])], true),
  ]
}

function read<T extends object>(
  path: string,
  parse: (text: string) => T | { problems: readonly string[] },
): T | { problems: readonly string[] } {
  const text = readText(path)
  return typeof text === 'string' ? parse(text) : text
}

function stepsOf(subject: string, details: readonly string[], passed: boolean): InstrumentCheck[] {
  return details.map((detail) => ({ step: 'files', subject, passed, detail }))
}
