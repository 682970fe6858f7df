import { flag, kinds, systemClock } from '../../base/index.ts'
import {
  type DeviceSchema,
  describeDevices,
  deviceEnvironment,
  listDevices,
  listInstalled,
  type OptionSchema,
} from '../../driver/index.ts'
import { OPERATIONS } from '../../protocol/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { programFolder } from '../command-line/program-folder.ts'
import { UsageError } from '../command-line/usage-error.ts'

export const devicesCommand = defineCommand({
  summary: 'List the devices that this version can run, or the options of one',
  flags: {
    operation: flag(kinds.choice(OPERATIONS), 'Only devices of this operation'),
    device: flag(kinds.nonEmptyText('name'), 'List the -o options of this device'),
    python: flag(kinds.nonEmptyText('path'), 'Python whose packages have devices, as for start'),
  },
  async run({ flags: { operation, device, python } }) {
    const { devices: installed, skipped } = await listInstalled({
      given: python ?? process.env['SVC_PYTHON'] ?? '',
      beside: programFolder(),
      cwd: process.cwd(),
      clock: systemClock,
      env: deviceEnvironment(process.env),
    })
    for (const line of skipped) console.error(line)
    if (device !== undefined) return optionsOf(device, await describeDevices(installed))
    const operations = operation ? [operation] : OPERATIONS
    return operations.map((each) => {
      const own = installed.filter((one) => one.operation === each).map(({ name }) => name)
      return { operation: each, devices: [...listDevices(each), ...own] }
    })
  },
  print(listed, { flags }) {
    if (!Array.isArray(listed)) return printOptions(listed)
    for (const { operation, devices } of listed) {
      if (flags.operation) for (const name of devices) console.log(name)
      else console.log(`${operation}: ${devices.join(' ')}`.trimEnd())
    }
  },
})

/** @throws UsageError for a device that this version does not have. */
function optionsOf(device: string, devices: readonly DeviceSchema[]): DeviceSchema {
  const found = devices.find(({ name }) => name === device.replaceAll('-', '_'))
  if (found) return found
  throw new UsageError(
    `There is no device ${device}; choose one of ${devices.map(({ name }) => name).join(', ')}`,
  )
}

function printOptions({ name, operation, options }: DeviceSchema): void {
  console.log(`${name} (${operation})`)
  for (const each of options) {
    const prefix = each.source === 'option' ? '-o ' : ''
    console.log(`\n  ${prefix}${each.key}=${placeholderOf(each)}\n    ${each.help}${remarkOn(each)}`)
  }
}

function placeholderOf({ form, choices }: OptionSchema): string {
  if (form === 'choice') return choices.join('|')
  return form === 'boolean' ? 'true|false' : `<${form}>`
}

function remarkOn({ required, default: initial, example, source }: OptionSchema): string {
  const facts = [
    ...(required ? ['required'] : []),
    ...(initial === null ? [] : [`default ${initial}`]),
    ...(example === null ? [] : [`for example ${example}`]),
    ...(source === 'environment' ? ['environment variable'] : []),
  ]
  return facts.length > 0 ? ` (${facts.join('; ')})` : ''
}
