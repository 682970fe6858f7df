import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { createdShare, type Share, shares } from '../../api/model/access/shares.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { CodeBlock } from '../CodeBlock.tsx'
import { Dialog } from '../Dialog.tsx'
import { Field, Select } from '../form/form.tsx'
import { useDialog } from '../form/use-dialog.ts'
import { Moment } from '../Moment.tsx'
import { Loaded } from '../Panel.tsx'

interface ShareProps {
  kind: 'job' | 'report'
  /** Id of the job or the report. */
  record: string
}

/** Opens the dialog with the links to a job or report. */
export function ShareButton(of: ShareProps) {
  const [shown, open] = useDialog((_, close) => (
    <Dialog title={`Share this ${of.kind}`} open onClose={close}>
      <Links {...of} />
    </Dialog>
  ))
  return (
    <>
      <button type="button" onClick={() => open()}>
        Share
      </button>
      {shown}
    </>
  )
}

const DAYS = [1, 7, 14, 30, 90]

/** Creates a link, and lists and revokes those that are valid. */
function Links({ kind, record }: ShareProps) {
  const { api, attempt } = useApp()
  const id = useId()
  const days = useSignal(14)
  const url = useSignal('')
  const links = useResource(
    (abort) => api.get(`/api/shares?${new URLSearchParams({ kind, record })}`, shares, abort),
    [kind, record],
  )
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work)
    await links.load()
  }
  const create = () =>
    act(async () => {
      url.value = (await api.post('/api/shares', { kind, record, days: days.peek() }, createdShare)).url
    })
  const revoke = (share: Share) =>
    act(async () => {
      await api.remove(`/api/shares/${share.id}`)
      url.value = ''
    })
  return (
    <div class="form">
      <p class="hint">
        Whoever has the link reads this {kind} without a login, and nothing else. It can be revoked here.
      </p>
      {url.value !== '' && (
        <>
          <CodeBlock title="Link" text={url.value} />
          <p class="hint">It is shown only once. Copy it before you close this window.</p>
        </>
      )}
      <Field id={id} label="Valid for">
        <Select
          id={id}
          value={String(days.value)}
          choices={DAYS.map((each) => [String(each), each === 1 ? '1 day' : `${each} days`])}
          set={(each) => (days.value = Number(each))}
        />
      </Field>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void create()}>
          Create a link
        </button>
      </div>
      <Loaded of={links} task="load the links" rows={1}>
        {(items) =>
          items.length > 0 && (
            <ul class="plain" aria-label="Valid links">
              {items.map((share) => (
                <li key={share.id} class="actions">
                  <span>
                    Created <Moment at={share.created} />, valid until <Moment at={share.expires_at} />
                  </span>
                  <button type="button" class="danger" onClick={() => void revoke(share)}>
                    Revoke
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}
