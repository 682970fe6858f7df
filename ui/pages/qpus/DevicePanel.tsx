import * as v from 'valibot'
import { asApiError } from '../../api/api.ts'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { copyText } from '../../lib/copy-text.ts'
import { formatCount } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, Panel } from '../../parts/Panel.tsx'

/** What the device says that it can run, and its description to copy. */
export function DevicePanel({ qpu }: { qpu: QpuDetail }) {
  const { described_at, description, executor_type, num_qubits } = qpu
  if (!description) {
    return (
      <Panel title="Device">
        <Empty>Its device has not described itself. Until it does, jobs of any size are accepted.</Empty>
      </Panel>
    )
  }
  const { limits, gates, features, simulator } = description
  const facts: [string, string][] = [
    ['Kind', simulator ? 'simulator' : 'device'],
    ['Executor', executor_type ?? ''],
    ['Qubits', num_qubits ? formatCount(num_qubits) : ''],
    ['Gates', gates.map(({ name }) => name).join(', ') || 'all of stdgates.inc'],
    ['Shots of a circuit', limits.shots ? `at most ${formatCount(limits.shots)}` : ''],
    ['Executions of a job', limits.executions ? `at most ${formatCount(limits.executions)}` : ''],
    ['Features', features?.map((name) => name.replaceAll('_', ' ')).join(', ') ?? ''],
  ]
  return (
    <Panel title="Device" aside={<CopyDescription name={qpu.name} />}>
      <dl class="values padded">
        {facts
          .filter(([, text]) => text)
          .map(([title, text]) => (
            <>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </>
          ))}
        <dt>Described</dt>
        <dd>
          <Moment at={described_at} />
        </dd>
      </dl>
    </Panel>
  )
}

const whole = v.object({ description: v.unknown() })

/** Copies the description as the server has it, with the fields that this page does not read. */
function CopyDescription({ name }: { name: string }) {
  const { api, toast } = useApp()
  const copy = async () => {
    try {
      const { description } = await api.get(`/api/qpus/${encodeURIComponent(name)}`, whole)
      if (await copyText(JSON.stringify(description, null, 2))) toast('The description is copied')
      else toast('The browser copies only for pages over HTTPS.', 'bad')
    } catch (failure) {
      toast(`The description was not copied: ${asApiError(failure).message}`, 'bad')
    }
  }
  return (
    <button type="button" onClick={copy}>
      Copy as JSON
    </button>
  )
}
