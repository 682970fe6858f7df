import { type Monitor, threshold as schema, type Threshold } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { Check, Field, FormActions, Select, TextField, useForm } from '../../parts/form/form.tsx'
import type { Channel } from '../../parts/monitor/channels.ts'

const KINDS = { above: 'Above a value', below: 'Below a value', stale: 'No reading' } as const

interface ThresholdFormProps {
  monitor: Monitor
  channels: readonly Channel[]
  /** The limit to change; absent for a new one. */
  threshold: Threshold | undefined
  close: () => void
  onSaved: () => void
}

/** Adds a limit of a channel, or changes one. */
export function ThresholdForm({ monitor, channels, threshold, close, onSaved }: ThresholdFormProps) {
  const { api, named } = useApp()
  const [first] = channels
  const form = useForm({
    initial: {
      name: threshold?.name ?? '',
      channel: threshold ? keyOf(threshold, channels) : (first?.key ?? ''),
      kind: threshold?.kind ?? ('above' as const),
      limit: threshold ? String(threshold.limit) : '',
      for_seconds: String(threshold?.for_seconds ?? 0),
      enabled: threshold?.enabled ?? true,
    },
    check: ({ name, limit }) => ({
      ...(name.trim() === '' && { name: 'Enter a name; notifications use it.' }),
      ...((limit.trim() === '' || !Number.isFinite(Number(limit))) && { limit: 'Enter a number.' }),
    }),
    async submit({ channel, limit, for_seconds, ...values }) {
      const chosen = channels.find(({ key }) => key === channel)
      const body = {
        ...values,
        driver: monitor.id,
        channel: chosen?.channel ?? threshold?.channel,
        unit: chosen?.unit ?? threshold?.unit,
        limit: Number(limit),
        for_seconds: Number(for_seconds || 0),
      }
      const path = `/api/collections/${named('thresholds')}/records`
      await (threshold ? api.patch(`${path}/${threshold.id}`, body, schema) : api.post(path, body, schema))
      onSaved()
      close()
    },
  })
  const { kind, channel, enabled } = form.values.value
  const unit = channels.find(({ key }) => key === channel)?.unit ?? threshold?.unit ?? ''
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField form={form} name="name" label="Name" placeholder="Mixing chamber" />
      <Field id={form.id('channel')} label="Channel" error={form.error('channel')}>
        <Select
          id={form.id('channel')}
          value={channel}
          choices={[
            ...channels.map(({ key, label }) => [key, label] as const),
            ...(channels.some(({ key }) => key === channel) ? [] : [channel]),
          ]}
          set={(key) => form.set({ channel: key })}
        />
      </Field>
      <div class="cells">
        <Field id={form.id('kind')} label="Report" error={form.error('kind')}>
          <Select
            id={form.id('kind')}
            value={kind}
            choices={Object.entries(KINDS)}
            set={(value) => form.set({ kind: value as Threshold['kind'] })}
          />
        </Field>
        <TextField
          form={form}
          name="limit"
          label={kind === 'stale' ? 'For longer than, in s' : `Value${unit && `, in ${unit}`}`}
        />
        {kind !== 'stale' && (
          <TextField form={form} name="for_seconds" label="For at least, in s" hint="0 = immediately" />
        )}
      </div>
      <Check checked={enabled} set={(isChecked) => form.set({ enabled: isChecked })}>
        Enabled
      </Check>
      <p class="hint">
        A breach and its end each notify everybody, add an event to the log and call the webhooks of
        superusers.
      </p>
      <FormActions form={form} action={threshold ? 'Save' : 'Add the limit'} cancel={close} />
    </form>
  )
}

function keyOf({ channel, unit }: Threshold, channels: readonly Channel[]): string {
  return channels.find((one) => one.channel === channel && (!unit || one.unit === unit))?.key ?? channel
}
