import { useSignal } from '@preact/signals'
import * as v from 'valibot'
import { webhook as schema, type Webhook, webhookWithSecret } from '../../../api/model/webhooks.ts'
import { useApp } from '../../../app/app.ts'
import { Menu } from '../../../parts/Menu.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Status } from '../../../parts/Status.tsx'
import { Fact } from '../../../parts/table/Fact.tsx'
import { useAction } from '../../../parts/use-confirm.ts'
import { Deliveries } from './Deliveries.tsx'
import { KINDS } from './kinds.ts'

interface WebhookPanelProps {
  webhook: Webhook
  changed: () => void
  /** Shows a new secret. */
  secret: (value: string) => void
}

/** One webhook with its deliveries and what can be done with it. */
export function WebhookPanel({ webhook, changed, secret }: WebhookPanelProps) {
  const { api, attempt, toast } = useApp()
  const act = useAction()
  const tests = useSignal(0)
  const { id, url, description, enabled } = webhook
  const path = `/api/webhooks/${id}`
  const test = () =>
    attempt(async () => {
      await api.post(`${path}/test`, {}, v.unknown())
      tests.value += 1
      toast('A test delivery is on its way.')
    })
  const toggle = () =>
    attempt(async () => {
      await api.patch(path, { enabled: !enabled }, schema)
      changed()
    })
  const rotate = () => {
    const body =
      'For 24 hours deliveries are signed with the old and the new one, so that the receiver can change.'
    return act({ title: 'Replace the secret?', body, action: 'Replace the secret' }, async () =>
      secret((await api.post(`${path}/rotate`, {}, webhookWithSecret)).secret),
    )
  }
  const remove = () => {
    const body = `${url} receives nothing more; pending deliveries are dropped.`
    const work = () => api.remove(path).then(changed)
    const question = { title: 'Delete the webhook?', body, action: 'Delete', tone: 'bad' as const }
    return act(question, work, 'The webhook was deleted.')
  }
  return (
    <Panel
      title={description || new URL(url).host}
      aside={
        <div class="actions">
          <State webhook={webhook} />
          <button type="button" aria-disabled={!enabled} onClick={() => enabled && void test()}>
            Send a test
          </button>
          <Menu
            button="More"
            label={`More actions for ${description || url}`}
            items={[
              { title: enabled ? 'Disable' : 'Enable', run: () => void toggle() },
              { title: 'Replace the secret…', run: () => void rotate() },
              { title: 'Delete…', run: () => void remove(), tone: 'bad' },
            ]}
          />
        </div>
      }
    >
      <dl class="facts padded">
        <Fact name="Address">
          <code>{url}</code>
        </Fact>
        <Fact name="Called when">
          {webhook.kinds.map((kind) => KINDS.find((known) => known.id === kind)?.text ?? kind).join('; ')}
        </Fact>
        {webhook.dropped > 0 && (
          <Fact name="Dropped">{webhook.dropped} events, because too many deliveries were pending</Fact>
        )}
      </dl>
      <Deliveries key={tests.value} webhook={id} />
    </Panel>
  )
}

function State({ webhook: { enabled, failures, failing_since, disabled_reason } }: { webhook: Webhook }) {
  if (!enabled) {
    return (
      <span title={disabled_reason ?? ''}>
        <Status tone="idle" glyph="pause" word="Disabled" />
      </span>
    )
  }
  if (failures === 0) return <Status tone="ok" glyph="dot" word="Active" />
  return (
    <span class="soft">
      <Status tone="warn" glyph="triangle" word={`${failures} failed attempts`} /> since{' '}
      <Moment at={failing_since} />
    </span>
  )
}
