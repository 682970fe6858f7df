import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import type { TimeRequest } from '../../api/model/users.ts'
import { formatSeconds } from '../../lib/format.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { describedBy, Field } from '../../parts/form/form.tsx'
import { parseAmount, writeAmount } from './amount.ts'

interface ApproveDialogProps {
  /** The request to approve; undefined while nothing is asked. */
  request: Signal<TimeRequest | undefined>
  name: string
  onApprove: (request: TimeRequest, seconds: number) => Promise<void>
}

/** Approves a request; the amount may be another one. */
export function ApproveDialog({ request, name, onApprove }: ApproveDialogProps) {
  const id = useId()
  const text = useSignal('')
  const asked = request.value
  useEffect(() => {
    text.value = asked ? writeAmount(asked.seconds) : ''
  }, [asked?.id])
  const seconds = parseAmount(text.value)
  const balance = asked?.expand?.user?.qpu_seconds ?? 0
  const error = seconds === undefined && text.value !== '' ? 'Enter an amount such as 1h 30m.' : undefined
  const hint =
    seconds !== undefined &&
    `The balance becomes ${formatSeconds(balance + seconds)}. Requested: ${formatSeconds(asked?.seconds ?? 0)}.`
  const close = () => {
    request.value = undefined
  }
  return (
    <Dialog title={`Approve QPU time for ${name}`} open={asked !== undefined} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!asked || seconds === undefined) return
          close()
          void onApprove(asked, seconds)
        }}
      >
        {asked?.requested_reason && <p class="notice">{asked.requested_reason}</p>}
        <Field id={id} label="Amount" error={error} hint={hint}>
          <input
            id={id}
            autocomplete="off"
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            {...describedBy(id, error)}
          />
        </Field>
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={seconds === undefined}>
            Approve
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
