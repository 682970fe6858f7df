import { useSignal } from '@preact/signals'
import { useApp } from '../app/app.ts'
import type { Answer, Question } from '../app/dialogs.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Field } from '../parts/form/form.tsx'

/** What opens above a page: questions, short messages, and announcements for screen readers. */
export function Overlays() {
  const { announcer, dialogs } = useApp()
  const open = dialogs.question.value
  return (
    <>
      {open && <Confirmation key={open.ask.title} ask={open.ask} answer={open.answer} />}
      <Toasts />
      <p class="unseen" role="status">
        {announcer.text.value}
      </p>
    </>
  )
}

function Confirmation({ ask, answer }: { ask: Question; answer: (answer: Answer) => void }) {
  const { title, body, action, tone, typed, reason: wanted } = ask
  const entered = useSignal('')
  const reason = useSignal('')
  const missing = useSignal(false)
  const cancel = () => answer({ confirmed: false, reason: '' })
  const confirm = (event: Event) => {
    event.preventDefault()
    missing.value =
      (typed !== undefined && entered.value !== typed) ||
      (wanted?.required === true && reason.value.trim() === '')
    if (!missing.value) answer({ confirmed: true, reason: reason.value.trim() })
  }
  return (
    <Dialog title={title} open onClose={cancel}>
      <form class="form" onSubmit={confirm}>
        {body && <p>{body}</p>}
        {wanted && (
          <Field
            id="confirm-reason"
            label={wanted.label}
            error={missing.value && wanted.required && reason.value.trim() === '' ? 'Required' : undefined}
          >
            <input
              id="confirm-reason"
              value={reason.value}
              onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
            />
          </Field>
        )}
        {typed !== undefined && (
          <Field
            id="confirm-typed"
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
            error={missing.value && entered.value !== typed ? 'This does not match' : undefined}
          >
            <input
              id="confirm-typed"
              autocomplete="off"
              spellcheck={false}
              value={entered.value}
              onInput={({ currentTarget }) => (entered.value = currentTarget.value)}
            />
          </Field>
        )}
        <div class="actions">
          <button type="button" onClick={cancel}>
            Cancel
          </button>
          <button type="submit" class={tone === 'bad' ? 'danger' : 'primary'}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Toasts() {
  const { dialogs } = useApp()
  return (
    <div class="toasts" role="status">
      {dialogs.toasts.value.map((toast) => (
        <p key={toast.id} class={`toast tone-${toast.tone}`}>
          <span>{toast.text}</span>
          <button type="button" class="link" onClick={() => dialogs.close(toast)}>
            Close
          </button>
        </p>
      ))}
    </div>
  )
}
