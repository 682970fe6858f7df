import { type Webhook, webhooks } from '../../../api/model/webhooks.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { CodeBlock } from '../../../parts/CodeBlock.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { useDialog } from '../../../parts/form/use-dialog.ts'
import { Empty, Loaded } from '../../../parts/Panel.tsx'
import { SettingsFrame } from '../SettingsFrame.tsx'
import { WebhookForm } from './WebhookForm.tsx'
import { WebhookPanel } from './WebhookPanel.tsx'

/** The webhooks of the account. */
export function Webhooks() {
  const { api } = useApp()
  const list = useResource((abort) => api.get('/api/webhooks', webhooks, abort))
  const create = (
    <button type="button" class="primary" onClick={() => add()}>
      New webhook
    </button>
  )
  const reload = () => void list.load()
  const [secret, reveal] = useDialog<string>((value, close) => <Secret value={value} close={close} />)
  const show = (value: string) => {
    reveal(value)
    reload()
  }
  const [adding, add] = useDialog((_, close) => <WebhookForm created={show} close={close} />)
  return (
    <SettingsFrame lead={<Lead webhooks={list.value.value} />} actions={create}>
      <Loaded of={list} task="load your webhooks" rows={4}>
        {(rows) =>
          rows.length === 0 ? (
            <section class="panel">
              <Empty action={<a href="/docs/how-to/webhooks">How a program receives them</a>}>
                You have no webhooks. A webhook is an address that the server calls when something happens.
              </Empty>
            </section>
          ) : (
            rows.map((webhook) => (
              <WebhookPanel key={webhook.id} webhook={webhook} changed={reload} secret={show} />
            ))
          )
        }
      </Loaded>
      {adding}
      {secret}
    </SettingsFrame>
  )
}

function Lead({ webhooks }: { webhooks: readonly Webhook[] | undefined }) {
  if (!webhooks || webhooks.length === 0) return null
  const failing = webhooks.filter(({ enabled, failures }) => enabled && failures > 0).length
  const off = webhooks.filter(({ enabled }) => !enabled).length
  if (failing > 0) return <>{sentence(formatNumberOf(failing, 'webhook'))} cannot be reached.</>
  if (off > 0) return <>{sentence(formatNumberOf(off, 'webhook'))} disabled.</>
  return <>All deliveries succeed.</>
}

function Secret({ value, close }: { value: string; close: () => void }) {
  return (
    <Dialog title="Secret of the webhook" open onClose={close}>
      <div class="form">
        <p>The receiver verifies deliveries with it. This is the only time that it is shown.</p>
        <CodeBlock title="Secret" text={value} />
        <div class="actions">
          <a class="button" href="/docs/how-to/webhooks#verify-a-delivery">
            How to verify
          </a>
          <button type="button" class="primary" onClick={close}>
            I have stored it
          </button>
        </div>
      </div>
    </Dialog>
  )
}
