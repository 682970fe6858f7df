import { webhookWithSecret } from '../../../api/model/webhooks.ts'
import { useApp } from '../../../app/app.ts'
import { FormDialog, TextField, useForm } from '../../../parts/form/form.tsx'
import { KINDS } from './kinds.ts'

const INITIAL: { url: string; description: string; kinds: readonly string[] } = {
  url: '',
  description: '',
  kinds: ['job.ended'],
}

/** Registers a webhook. */
export function WebhookForm({ created, close }: { created: (secret: string) => void; close: () => void }) {
  const { api, superuser } = useApp()
  const form = useForm({
    initial: INITIAL,
    check: ({ kinds }) => (kinds.length === 0 ? { kinds: 'Choose at least one' } : {}),
    async submit(values) {
      const { secret } = await api.post('/api/webhooks', values, webhookWithSecret)
      close()
      created(secret)
    },
  })
  const { kinds } = form.values.value
  const problem = form.error('kinds')
  return (
    <FormDialog title="New webhook" form={form} action="Create" close={close}>
      <TextField
        form={form}
        name="url"
        label="Address"
        type="url"
        placeholder="https://lab.example.org/hooks/svc"
        hint="HTTPS; the server must be able to reach it"
        required
      />
      <TextField form={form} name="description" label="Description" placeholder="lab notebook" />
      <fieldset class="choice column" id={form.id('kinds')}>
        <legend>Called when</legend>
        {KINDS.filter(({ forSuperusers }) => !forSuperusers || superuser.value).map(({ id, text }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={kinds.includes(id)}
              onChange={({ currentTarget }) =>
                form.set({
                  kinds: currentTarget.checked ? [...kinds, id] : kinds.filter((kind) => kind !== id),
                })
              }
            />
            {text}
          </label>
        ))}
        {problem && <p class="field-error">{problem}</p>}
      </fieldset>
    </FormDialog>
  )
}
