import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { formatCount } from '../../lib/format.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { ErrorBox, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { addPart, auditPart, type Check, startCheck } from './model.ts'

/** The check that no entry was changed or removed, part by part, so that its progress is visible. */
export function ChainCheck() {
  const { api } = useApp()
  const check = useSignal<Check | undefined>(undefined)
  const failure = useSignal<ApiError | undefined>(undefined)
  const expected = useSignal('')
  const end = useRef(new AbortController())
  useEffect(() => () => end.current.abort(), [])
  const isRunning = check.value?.state === 'running' && !failure.value
  const isHash = expected.value === '' || /^[0-9a-f]{64}$/.test(expected.value)

  const run = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isRunning || !isHash) return
    end.current = new AbortController()
    const { signal } = end.current
    failure.value = undefined
    check.value = startCheck(expected.peek())
    try {
      for (let after = 0; check.peek()?.state === 'running'; ) {
        const search = new URLSearchParams({
          after: String(after),
          ...(expected.peek() && { head: expected.peek() }),
        })
        const part = await api.get(`/api/op/audit/verify?${search}`, auditPart, signal)
        check.value = addPart(check.peek() ?? startCheck(''), part)
        after = part.next ?? after
      }
    } catch (error) {
      if (!signal.aborted) failure.value = asApiError(error)
    }
  }
  return (
    <Panel title="Verification">
      <form class="padded chain" onSubmit={run}>
        <div class="chain-state" role="status">
          {check.value ? (
            <Outcome check={check.value} />
          ) : (
            <p class="soft">Not checked since this page was opened.</p>
          )}
        </div>
        <label>
          Head of an earlier check, if you have one
          <input
            class="mono"
            autocomplete="off"
            spellcheck={false}
            placeholder="64 hexadecimal digits"
            aria-invalid={!isHash || undefined}
            value={expected.value}
            onInput={({ currentTarget }) => (expected.value = currentTarget.value.trim())}
          />
        </label>
        {!isHash && <p class="field-error">A head has 64 hexadecimal digits.</p>}
        {failure.value && <ErrorBox error={failure.value} task="check the audit log" />}
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={isRunning || !isHash}>
            {isRunning ? 'Checking' : 'Verify the chain'}
          </button>
          {isRunning && check.value && (
            <progress
              value={check.value.reached}
              max={Math.max(1, check.value.last)}
              aria-label="Checked entries"
            />
          )}
        </div>
      </form>
    </Panel>
  )
}

function Outcome({ check }: { check: Check }) {
  const { state, entries, erased, head, broken } = check
  const number = `${formatCount(entries)} ${entries === 1 ? 'entry' : 'entries'}`
  switch (state) {
    case 'running':
      return (
        <p>
          <Status tone="run" glyph="play" word="Checking" /> {number} so far
        </p>
      )
    case 'broken':
      return (
        <p>
          <Status tone="bad" glyph="cross" word="Broken" /> Entry {broken}, or one before it, was changed or
          removed.
        </p>
      )
    case 'cut':
      return (
        <p>
          <Status tone="bad" glyph="cross" word="Cut off" /> No entry has the head that you gave: entries
          after an earlier check were removed.
        </p>
      )
    default:
      return (
        <>
          <p>
            <Status tone="ok" glyph="check" word="Intact" /> {number}, none changed or removed
            {erased > 0 && `; personal details of ${formatCount(erased)} were erased with their accounts`}.
          </p>
          {head && (
            <p class="cluster head">
              <span>
                Store this head on another machine. A later check can verify that it is still in the log:
              </span>
              <code>{head}</code>
              <CopyButton text={head} what="head" />
            </p>
          )}
        </>
      )
  }
}
