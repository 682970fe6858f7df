import * as v from 'valibot'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { ChipState } from '../../parts/chip/use-chip.ts'
import { Field, FormDialog, useForm } from '../../parts/form/form.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { type Limits, limitOf, withLimits } from '../../plots/chip/limits.ts'
import type { Metric } from '../../plots/chip/metric.ts'

/** Lets superusers set the limits beyond which values of the chip are marked. */
export function LimitsButton({ qpu, state }: { qpu: QpuDetail; state: ChipState }) {
  const [shown, open] = useDialog((_, close) => <LimitsDialog qpu={qpu} state={state} close={close} />)
  return (
    <>
      <button type="button" onClick={() => open()}>
        Limits…
      </button>
      {shown}
    </>
  )
}

function LimitsDialog({ qpu, state, close }: { qpu: QpuDetail; state: ChipState; close: () => void }) {
  const { api, named, toast } = useApp()
  const metrics = [...state.chip.qubitMetrics, ...state.chip.couplerMetrics].filter(
    ({ better }) => better !== 'none',
  )
  const form = useForm<Record<string, string>>({
    initial: Object.fromEntries(metrics.map((metric) => [metric.id, shownLimit(state.limits, metric)])),
    check: (values) =>
      Object.fromEntries(
        Object.entries(values).flatMap(([id, text]) =>
          text !== '' && !Number.isFinite(Number(text)) ? [[id, 'Expected a number.']] : [],
        ),
      ),
    async submit(values) {
      const limits = Object.fromEntries(
        metrics.flatMap(({ id, factor }) => (values[id] ? [[id, Number(values[id]) / factor]] : [])),
      )
      const path = `/api/collections/${named('qpus')}/records/${qpu.id}`
      await api.patch(path, { device_config: withLimits(qpu.device_config, limits) }, v.unknown())
      toast(`The limits of ${qpu.name} are set`)
      close()
    },
  })
  return (
    <FormDialog title={`Limits of ${qpu.name}`} form={form} action="Set limits" close={close}>
      <p class="soft">Values on the wrong side are marked for everybody. An empty field is no limit.</p>
      {metrics.map(({ id, title, unit, better }) => (
        <Field
          key={id}
          id={form.id(id)}
          label={`${title} ${better === 'low' ? 'at most' : 'at least'}${unit && `, ${unit}`}`}
          error={form.error(id)}
        >
          <input
            id={form.id(id)}
            inputMode="decimal"
            value={form.values.value[id]}
            onInput={({ currentTarget }) => form.set({ [id]: currentTarget.value })}
            {...form.aria(id)}
          />
        </Field>
      ))}
    </FormDialog>
  )
}

function shownLimit(limits: Limits, metric: Metric): string {
  const limit = limitOf(limits, metric)
  return limit === undefined ? '' : String(Number(limit.toPrecision(9)))
}
