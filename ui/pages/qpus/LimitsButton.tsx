import { useSignal } from '@preact/signals'
import * as v from 'valibot'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { ChipState } from '../../parts/chip/use-chip.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field } from '../../parts/Field.tsx'
import { FormActions } from '../../parts/form/FormActions.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { type Limits, limitOf, withLimits } from '../../plots/chip/limits.ts'
import type { Metric } from '../../plots/chip/metric.ts'

/** Lets superusers set the limits beyond which values of the chip are marked. */
export function LimitsButton({ qpu, state }: { qpu: QpuDetail; state: ChipState }) {
  const open = useSignal(false)
  const show = (shown: boolean) => {
    open.value = shown
  }
  return (
    <>
      <button type="button" onClick={() => show(true)}>
        Limits…
      </button>
      <Dialog title={`Limits of ${qpu.name}`} open={open.value} onClose={() => show(false)}>
        <LimitsForm qpu={qpu} state={state} onDone={() => show(false)} />
      </Dialog>
    </>
  )
}

function LimitsForm({ qpu, state, onDone }: { qpu: QpuDetail; state: ChipState; onDone: () => void }) {
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
      onDone()
    },
  })
  return (
    <form class="form" onSubmit={form.submit}>
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
      <FormActions form={form} action="Set limits" cancel={onDone} />
    </form>
  )
}

function shownLimit(limits: Limits, metric: Metric): string {
  const limit = limitOf(limits, metric)
  return limit === undefined ? '' : String(Number(limit.toPrecision(9)))
}
