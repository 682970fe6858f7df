import { useSignal } from '@preact/signals'
import { type RegisteredQpu, registeredQpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'

interface RegisterDialogProps {
  open: boolean
  onClose: () => void
}

/** Registers a QPU with its process driver, whose token is shown once. */
export function RegisterDialog({ open, onClose }: RegisterDialogProps) {
  const { api, qpus } = useApp()
  const registered = useSignal<RegisteredQpu | undefined>(undefined)
  const form = useForm({
    initial: { name: '', executor_type: '', num_qubits: '' },
    check: ({ name, num_qubits }) => ({
      ...(name.trim() === '' && { name: 'Enter a name for the QPU.' }),
      ...(num_qubits !== '' && !/^\d+$/.test(num_qubits) && { num_qubits: 'A whole number.' }),
    }),
    async submit({ name, executor_type, num_qubits }) {
      const body = { name, executor_type, ...(num_qubits && { num_qubits: Number(num_qubits) }) }
      registered.value = await api.post('/api/op/qpus/create', body, registeredQpu)
      qpus.loadSoon()
    },
  })
  const close = () => {
    registered.value = undefined
    form.reset()
    onClose()
  }
  const made = registered.value
  return (
    <Dialog title={made ? `${made.name} is registered` : 'Register a QPU'} open={open} onClose={close} wide>
      {made ? (
        <Token qpu={made} onClose={close} />
      ) : (
        <form class="form" onSubmit={form.submit}>
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="Letters, digits, _ and -; hyphens become _."
          />
          <TextField
            form={form}
            name="num_qubits"
            label="Qubits (optional)"
            hint="Until its device describes itself."
          />
          <TextField form={form} name="executor_type" label="Executor (optional)" />
          <FormActions form={form} action="Register" cancel={close} />
        </form>
      )}
    </Dialog>
  )
}

function Token({ qpu, onClose }: { qpu: RegisteredQpu; onClose: () => void }) {
  const start = [
    `SVC_ACCESS_TOKEN=${qpu.access_token} \\`,
    `svc driver start --operation process --device mock \\`,
    `  --svc-addr ${qpu.svc_addr} \\`,
    `  --ca-fingerprint ${qpu.ca_fingerprint}`,
  ].join('\n')
  return (
    <div class="form">
      <p>
        Copy the token of its process driver now: it is <strong>shown once</strong> and stored as a hash only.
      </p>
      <CodeBlock title="Access token" text={qpu.access_token} />
      <CodeBlock title="Start a driver with it" text={start} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have saved the token
        </button>
        <a class="button" href="/drivers">
          Drivers
        </a>
      </div>
    </div>
  )
}
