import { AppError } from '../../base/index.ts'
import { convertQuantumDevice, readText } from '../../devices/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { writeOut } from '../command-line/output.ts'

export const convertDeviceFileCommand = defineCommand({
  summary: 'Print the device file made of a QuantumDevice that quantify-scheduler has saved',
  positionals: [{ name: 'FILE', help: 'The file that QuantumDevice.to_json_file has written' }],
  run({ positionals: [file = ''] }) {
    const text = readText(file)
    if (typeof text !== 'string') throw new AppError('not_found', `${file}: ${text.problems[0]}`)
    return convertQuantumDevice(text)
  },
  print({ text, unrecognized }) {
    writeOut(text)
    if (unrecognized.length > 0) console.error(`Names that are not used: ${unrecognized.join(', ')}`)
  },
})
