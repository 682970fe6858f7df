import { defineCommand } from '../command-line/command.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'
import { localTime, table } from './output.ts'

export const qpusCommand = defineCommand({
  summary: 'List the QPUs: their state, queue, and when they are free',
  flags: CONNECTION_FLAGS,
  run: ({ flags }) => withClient(flags, (svc) => svc.qpus()),
  print(qpus) {
    if (qpus.length === 0) return console.log('No QPUs')
    const rows = qpus.map(({ name, num_qubits, reason, queue_length, next_free, calibration, status }) => [
      ...[name, String(num_qubits), reason?.text ?? status, String(queue_length)],
      ...[timeOf(next_free), timeOf(calibration?.at)],
    ])
    console.log(table(['QPU', 'QUBITS', 'STATE', 'QUEUE', 'FREE FROM', 'CALIBRATED'], rows).join('\n'))
  },
})

function timeOf(text: string | undefined): string {
  return text ? localTime(new Date(text)) : ''
}
