import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../app/app.ts'
import { enableKeys, keysEnabled, listenForKeys, moveRow, type Shortcut } from '../lib/keys.ts'

/** The shortcuts, and the dialog that lists them and switches them off. */
export function KeyList() {
  const { router } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const [enabled, setEnabled] = useState(keysEnabled)
  const shortcuts: Shortcut[] = [
    { keys: ['n'], does: 'New job', run: () => router.go('/jobs/new') },
    { keys: ['g', 'o'], does: 'Overview', run: () => router.go('/') },
    { keys: ['j'], does: 'Next job in the list', run: () => moveRow(1) },
    { keys: ['k'], does: 'Previous job in the list', run: () => moveRow(-1) },
    { keys: ['?'], does: 'This list', run: () => dialog.current?.showModal() },
  ]
  useEffect(() => listenForKeys(shortcuts), [])
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          {shortcuts.map(({ keys, does }) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>Ctrl</kbd>
              <kbd>Enter</kbd>
            </dt>
            <dd>Submit the job being written</dd>
          </div>
        </dl>
        <label class="check">
          <input
            type="checkbox"
            checked={enabled}
            onChange={({ currentTarget }) => {
              enableKeys(currentTarget.checked)
              setEnabled(currentTarget.checked)
            }}
          />
          Single keys act outside of fields
        </label>
        <div class="actions">
          <button type="submit">Close</button>
        </div>
      </form>
    </dialog>
  )
}
