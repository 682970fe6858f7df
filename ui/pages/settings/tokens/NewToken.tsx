import { useSignal } from '@preact/signals'
import { createdToken, SCOPES, type Scope } from '../../../api/model/access/tokens.ts'
import { useApp } from '../../../app/app.ts'
import { environmentOf, FIRST_PROGRAMS } from '../../../jobs/first-programs.ts'
import { CodeBlock } from '../../../parts/CodeBlock.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { FormActions, TextField, useForm } from '../../../parts/form/form.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import { ExpiryFields } from './ExpiryFields.tsx'
import { type Expiry, expiresAt } from './expiry.ts'

const INITIAL: { name: string; scope: Scope; cluster: string; choice: Expiry; expires_at: string } = {
  name: '',
  scope: 'submit',
  cluster: '',
  choice: '90',
  expires_at: '',
}

const SCOPE_TEXTS = {
  read: 'Read: jobs, QPUs, readings and the event stream',
  submit: 'Submit: also submit and cancel jobs',
  all: 'All: everything that you may do',
  operate: 'Operate: QPUs and their queue, as a superuser, 30 days at most',
  session: 'Session: sessions for the accounts of one cluster, nothing else',
}

/** Scopes of superusers only. */
const OF_SUPERUSERS: readonly Scope[] = ['operate', 'session']

/** Creates an API token and shows its value once. */
export function NewToken({ created, close }: { created: () => void; close: () => void }) {
  const { api, superuser } = useApp()
  const value = useSignal('')
  const form = useForm({
    initial: INITIAL,
    check: ({ choice, expires_at }) =>
      expiresAt(choice, expires_at, Date.now()) === undefined
        ? { expires_at: 'Choose a day in the future' }
        : {},
    async submit({ name, scope, cluster, choice, expires_at }) {
      const ofCluster = scope === 'session' ? { cluster } : {}
      const body = { name, scope, ...ofCluster, expires_at: expiresAt(choice, expires_at, Date.now()) }
      value.value = (await api.post('/api/tokens', body, createdToken)).token
      created()
    },
  })
  if (value.value) return <NewValue name={form.values.value.name} token={value.value} close={close} />
  return (
    <Dialog title="New API token" open onClose={close}>
      <form class="form" onSubmit={form.submit}>
        <TextField form={form} name="name" label="Name" placeholder="notebook on my laptop" required />
        <ExpiryFields form={form} />
        <fieldset class="choice column">
          <legend>Scope</legend>
          {SCOPES.filter((scope) => superuser.value || !OF_SUPERUSERS.includes(scope)).map((scope) => (
            <label key={scope}>
              <input
                type="radio"
                name="scope"
                checked={form.values.value.scope === scope}
                onChange={() => form.set({ scope })}
              />
              {SCOPE_TEXTS[scope]}
            </label>
          ))}
        </fieldset>
        {form.values.value.scope === 'session' && (
          <TextField
            form={form}
            name="cluster"
            label="Cluster"
            placeholder="ClusterName of slurm.conf"
            required
          />
        )}
        <FormActions form={form} action="Create" cancel={close} />
      </form>
    </Dialog>
  )
}

function NewValue({ name, token, close }: { name: string; token: string; close: () => void }) {
  const selected = useSignal(FIRST_PROGRAMS[0]?.id ?? '')
  const program = FIRST_PROGRAMS.find(({ id }) => id === selected.value)
  return (
    <Dialog title={`Token ${name}`} open wide onClose={close}>
      <div class="form">
        <p>
          This is the only time that the token is shown. Store it where your program finds it, and not in the
          program.
        </p>
        <CodeBlock title="Token" text={token} />
        <CodeBlock title="Server and token for all clients" text={environmentOf(location.origin, token)} />
        <Tabs
          label="Submit a Bell pair with"
          tabs={FIRST_PROGRAMS}
          selected={selected.value}
          onSelect={(id) => (selected.value = id)}
        >
          <div class="form">
            {program?.install && <CodeBlock title="Install" text={program.install} />}
            {program && <CodeBlock title="Submit a Bell pair" text={program.code} />}
          </div>
        </Tabs>
        <div class="actions">
          <button type="button" class="primary" onClick={close}>
            I have stored it
          </button>
        </div>
      </div>
    </Dialog>
  )
}
