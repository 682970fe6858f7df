import { type Monitor, type ReadingSeries, monitor as schema } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { FormDialog, useForm } from '../../parts/form/form.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { inOrder } from '../../parts/monitor/stages.ts'
import { BookTable } from '../../parts/table/BookTable.tsx'

interface StagesProps {
  monitor: Monitor
  series: readonly ReadingSeries[]
  onSaved: () => void
}

/** Lets a superuser name the channels of a monitor, in the order in which the overview shows them. */
export function StagesDialog(props: StagesProps) {
  const [shown, open] = useDialog((_, close) => <StagesForm {...props} close={close} />)
  return (
    <>
      <button type="button" onClick={() => open()}>
        Names…
      </button>
      {shown}
    </>
  )
}

function StagesForm({ monitor, series, onSaved, close }: StagesProps & { close: () => void }) {
  const { api, named } = useApp()
  const form = useForm({
    initial: { stages: allStages(monitor, series) },
    async submit({ stages }) {
      const chosen = stages.filter(({ name }) => name.trim() !== '')
      const path = `/api/collections/${named('drivers')}/records/${monitor.id}`
      await api.patch(path, { stages: chosen.length > 0 ? chosen : null }, schema)
      onSaved()
      close()
    },
  })
  const { stages } = form.values.value
  const rename = (at: number, name: string) =>
    form.set({ stages: stages.map((stage, index) => (index === at ? { ...stage, name } : stage)) })
  const lift = (at: number) => {
    const [stage] = stages.slice(at)
    const others = stages.filter((_, index) => index !== at)
    if (stage) form.set({ stages: others.toSpliced(at - 1, 0, stage) })
  }
  return (
    <FormDialog title="Names of the channels" wide form={form} action="Save" close={close}>
      <p class="hint">
        Everybody sees these names instead of the paths. The overview and the wall begin with the first one.
      </p>
      <BookTable head={['Channel', 'Name', ['Order', 'unseen']]} class="dense stages">
        {stages.map(({ channel, name }, index) => (
          <tr key={channel}>
            <th scope="row">
              <code>{channel}</code>
            </th>
            <td>
              <input
                aria-label={`Name of ${channel}`}
                value={name}
                maxLength={60}
                onInput={({ currentTarget }) => rename(index, currentTarget.value)}
              />
            </td>
            <td class="number">
              {index > 0 && (
                <button type="button" class="link" onClick={() => lift(index)}>
                  Up<span class="unseen"> {channel}</span>
                </button>
              )}
            </td>
          </tr>
        ))}
      </BookTable>
      {form.error('stages') && <p class="tone-bad">{form.error('stages')}</p>}
    </FormDialog>
  )
}

/** The named channels in their order, then the others, the coldest first. */
function allStages({ stages }: Monitor, series: readonly ReadingSeries[]): Monitor['stages'] {
  const paths = [...new Set(inOrder(series, stages).map(({ channel }) => channel))]
  const unnamed = paths.filter((channel) => !stages.some((stage) => stage.channel === channel))
  return [...stages, ...unnamed.map((channel) => ({ channel, name: '' }))]
}
