import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { calendarFeed, changedFeed, createdFeed } from '../../api/model/bookings.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Field, Select } from '../../parts/form/form.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'

const PATH = '/api/calendar-feed'

/** The slots of the account for calendar programs, at a secret address that can be replaced and revoked. */
export function CalendarFeed() {
  const { api, attempt, qpus } = useApp()
  const confirm = useConfirm()
  const id = useId()
  const address = useSignal('')
  const chosen = useSignal('')
  const feed = useResource(async (abort) => (await api.get(PATH, calendarFeed, abort)).feed)
  const act = async (work: () => Promise<void>) => {
    await attempt(work)
    feed.loadSoon()
  }
  const create = () =>
    act(async () => {
      const qpu = feed.value.peek()?.qpu ?? chosen.peek()
      address.value = (await api.post(PATH, { qpu }, createdFeed)).url
    })
  const replace = async () => {
    const body =
      'Calendar programs that use the current address are no longer updated until they use the new one.'
    if (await confirm({ title: 'Replace the address?', body, action: 'Replace the address' })) await create()
  }
  const revoke = async () => {
    const body = 'Calendar programs that use it are no longer updated.'
    if (!(await confirm({ title: 'Revoke the address?', body, action: 'Revoke the address', tone: 'bad' })))
      return
    await act(async () => {
      await api.remove(PATH)
      address.value = ''
    })
  }
  const include = (qpu: string) => {
    chosen.value = qpu
    if (feed.value.peek()) void act(async () => void (await api.patch(PATH, { qpu }, changedFeed)))
  }
  return (
    <Panel title="Calendar feed">
      <Loaded of={feed} task="load the calendar feed" rows={2}>
        {(current) => (
          <div class="padded form">
            <p class="hint">
              {current ? (
                <>
                  Your slots have been available at a secret address since <Moment at={current.created} />.
                </>
              ) : (
                'Subscribe to your slots in a calendar program: whoever knows the secret address can read them.'
              )}{' '}
              <a href="/docs/how-to/book-time#read-the-slots-in-a-calendar-program">How it works</a>
            </p>
            {address.value !== '' && (
              <>
                <CodeBlock title="Address" text={address.value} />
                <p class="hint">It is shown only once. Subscribe to it before you leave this page.</p>
              </>
            )}
            <Field id={id} label="Also show calibrations and maintenance of">
              <Select
                id={id}
                value={current?.qpu ?? chosen.value}
                choices={[
                  ['', 'no QPU'],
                  ...(qpus.value.value ?? []).map((qpu) => [qpu.id, qpu.name] as const),
                ]}
                set={include}
              />
            </Field>
            <div class="actions">
              {current ? (
                <>
                  <button type="button" onClick={() => void replace()}>
                    New address
                  </button>
                  <button type="button" class="danger" onClick={() => void revoke()}>
                    Revoke
                  </button>
                </>
              ) : (
                <button type="button" onClick={() => void create()}>
                  Create the address
                </button>
              )}
            </div>
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
