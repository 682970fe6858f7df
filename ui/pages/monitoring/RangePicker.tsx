import { useSignal } from '@preact/signals'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { fromLocalText, toLocalText } from '../../lib/zone.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field } from '../../parts/form/form.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { MIN_RANGE_MS, RANGES, rangeQuery, type VisibleRange } from './readings/range.ts'

/** Chooses the visible time: one of the usual ranges, which end now, or any other. */
export function RangePicker({ range }: { range: VisibleRange }) {
  const query = useQuery()
  const [shown, open] = useDialog((_, close) => (
    <Dialog title="Choose a time" open onClose={close}>
      <CustomRange range={range} close={close} />
    </Dialog>
  ))
  return (
    <>
      <fieldset class="segments" aria-label="Visible time">
        {RANGES.map(({ key, label, words }) => (
          <button
            key={key}
            type="button"
            title={words}
            aria-pressed={range.key === key}
            onClick={() => query.set({ range: key, from: null, to: null }, { push: true })}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <button type="button" aria-pressed={range.key === ''} onClick={() => open()}>
        Custom…
      </button>
      {shown}
    </>
  )
}

function CustomRange({ range, close }: { range: VisibleRange; close: () => void }) {
  const query = useQuery()
  const { zone } = useApp()
  const from = useSignal(toLocalText(range.from, zone.value))
  const to = useSignal(range.isLive ? '' : toLocalText(range.to, zone.value))
  const problem = useSignal('')
  const apply = (event: Event) => {
    event.preventDefault()
    const start = fromLocalText(from.value, zone.value)
    const end = to.value ? fromLocalText(to.value, zone.value) : Date.now()
    if (start === undefined || end === undefined || end - start < MIN_RANGE_MS) {
      problem.value = 'The end must be at least a minute after the start.'
      return
    }
    const chosen = rangeQuery(start, end)
    query.set({ from: chosen.from, to: to.value ? chosen.to : null }, { push: true })
    close()
  }
  return (
    <form class="form" onSubmit={apply}>
      <Field id="range-from" label="From" error={problem.value || undefined}>
        <input
          id="range-from"
          type="datetime-local"
          required
          value={from.value}
          onInput={({ currentTarget }) => (from.value = currentTarget.value)}
        />
      </Field>
      <Field id="range-to" label="To" hint={`Empty: up to now, updated live. Times in ${zone.value}.`}>
        <input
          id="range-to"
          type="datetime-local"
          value={to.value}
          onInput={({ currentTarget }) => (to.value = currentTarget.value)}
        />
      </Field>
      <div class="actions">
        <button type="submit" class="primary">
          Show
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  )
}
