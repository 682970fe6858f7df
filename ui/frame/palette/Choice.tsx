import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { Page } from '../../app/page.ts'
import { entryOf } from '../../app/route.ts'
import { setTheme } from '../../app/theme.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { type Command, commandsOf, findCommands } from './commands.ts'
import { MIN_SEARCHED, searchCommands } from './found-records.ts'
import { verbsOf } from './verbs.ts'

export { MaintenanceDialog } from '../../parts/qpu/MaintenanceDialog.tsx'

/** The types of Preact demand a `list` for this role, which only suggestions of the browser have. */
const COMBOBOX: object = { role: 'combobox', 'aria-expanded': true }

export interface PaletteProps {
  pages: readonly Page[]
  open: Signal<boolean>
  /** Opens the list of keys. */
  showKeys: () => void
}

interface ChoiceProps extends PaletteProps {
  /** The QPU whose maintenance is to be started. */
  maintained: Signal<Qpu | undefined>
}

/** The dialog of the palette: a text, and what it finds. */
export function Choice({ pages, open, showKeys, maintained }: ChoiceProps) {
  const app = useApp()
  const text = useSignal('')
  const at = useSignal(0)
  const records = useSearched(text.value)
  const commands = commandsOf({
    pages,
    signedIn: app.account.value !== undefined,
    superuser: app.superuser.value,
    qpus: app.qpus.value.value?.map(({ name }) => name) ?? [],
    jobs: app.jobs.value.value ?? [],
    actions: actionsOf(app, showKeys),
    verbs: verbsOf(app, {
      startMaintenance(qpu) {
        maintained.value = qpu
      },
    }),
  })
  const found = findCommands(commands, text.value, records)
  const close = () => {
    open.value = false
  }
  const choose = ({ href, run }: Command) => {
    close()
    run?.()
    if (href === undefined) return
    if (entryOf(href) === entryOf(location.pathname)) app.router.go(href)
    else location.assign(href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const chosen = found[at.value]
    if (!chosen || (step === undefined && event.key !== 'Enter')) return
    event.preventDefault()
    if (step === undefined) return choose(chosen)
    at.value = (at.value + step + found.length) % found.length
    document.getElementById(`palette-${at.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Dialog title="Go to" open onClose={close} class="palette">
      <input
        {...COMBOBOX}
        aria-label="Page, QPU, job or action"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${at.value}` : undefined}
        placeholder="Page, QPU, job or action, such as “cancel” or “maintenance”"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Found">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the field, which keeps the focus
          <div
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at.value}
            tabIndex={-1}
            onClick={() => choose(command)}
          >
            <span>{command.title}</span>
            <small>{command.group}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="soft">Nothing matches.</p>}
    </Dialog>
  )
}

/** Pause after the last key before records are searched. */
const SPACING_MS = 200

/** What the server finds by this text, after a pause; none while it is being typed. */
function useSearched(text: string): readonly Command[] {
  const app = useApp()
  const found = useSignal<{ text: string; commands: readonly Command[] }>({ text: '', commands: [] })
  useEffect(() => {
    if (text.trim().length < MIN_SEARCHED) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const commands = await searchCommands(app, text.trim(), abort.signal)
      if (!abort.signal.aborted) found.value = { text, commands }
    }, SPACING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return found.value.text === text ? found.value.commands : []
}

function actionsOf(app: ReturnType<typeof useApp>, showKeys: () => void): Command[] {
  const theme = (name: 'light' | 'dark' | 'system'): Command => ({
    id: `action theme ${name}`,
    title: name === 'system' ? 'System theme' : `${name === 'dark' ? 'Dark' : 'Light'} theme`,
    group: 'Action',
    run() {
      app.theme.value = name
      setTheme(name)
    },
  })
  const signOut: Command = { id: 'action sign-out', title: 'Sign out', group: 'Action', run: app.signOut }
  return [
    theme('light'),
    theme('dark'),
    theme('system'),
    { id: 'action keys', title: 'Keyboard shortcuts', group: 'Action', run: showKeys },
    ...(app.account.value ? [signOut] : []),
  ]
}
