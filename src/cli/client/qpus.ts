import type { SvcClient } from '../../../clients/js/src/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { CONNECTION_FLAGS, withClient } from './connection.ts'
import { printWarnings } from './follow.ts'
import { localTime, table } from './output.ts'

export const qpusCommand = defineCommand({
  summary: 'List the QPUs: their state, queue, and when a job submitted now starts',
  flags: CONNECTION_FLAGS,
  run: ({ flags }) => withClient(flags, (svc) => svc.qpus()),
  print(qpus) {
    if (qpus.length === 0) return console.log('No QPUs')
    const rows = qpus.map((qpu) => [
      qpu.name,
      String(qpu.num_qubits),
      qpu.reason?.text ?? qpu.status,
      String(qpu.queue_length),
      startOf(qpu),
      `${timeOf(qpu.calibration?.at)}${qpu.recalled_calibration ? ' (recalled)' : ''}`,
    ])
    console.log(table(['QPU', 'QUBITS', 'STATE', 'QUEUE', 'NEW JOB STARTS', 'CALIBRATED'], rows).join('\n'))
    printWarnings(
      qpus.flatMap(({ name, recalled_calibration: recalled }) =>
        recalled ? [`the calibration of ${name} is recalled: ${recalled.reason}`] : [],
      ),
    )
  },
})

type QpuSummary = Awaited<ReturnType<SvcClient['qpus']>>[number]

/** When a job submitted now starts, or why nobody can say. */
function startOf({ estimated_start: start, waiting }: QpuSummary): string {
  if (start && !waiting) return 'now'
  if (!start) return waiting ? `unknown: ${waiting.text}` : ''
  const [from, to] = [timeOf(start.from), timeOf(start.to)]
  return from === to ? `about ${from}` : `${from} to ${to}`
}

function timeOf(text: string | undefined): string {
  return text ? localTime(new Date(text)) : ''
}
