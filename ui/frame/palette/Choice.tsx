import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { Qpu } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import type { Page } from '../../app/page.ts'
import { entryOf } from '../../app/route.ts'
import { setTheme } from '../../app/theme.ts'
import { type Command, commandsOf, findCommands } from './commands.ts'
import { MIN_SEARCHED, searchCommands } from './found-records.ts'
import { verbsOf } from './verbs.ts'

export { MaintenanceDialog } from '../../parts/qpu/MaintenanceDialog.tsx'

interface ChoiceProps {
  pages: readonly Page[]
  text: string
  /** The place of the selected command. */
  at: Signal<number>
  /** Keys that are still to be followed: arrows, and Enter. */
  pressed: Signal<readonly string[]>
  close: () => void
  /** Opens the list of keys. */
  showKeys: () => void
  /** The QPU whose maintenance is to be started. */
  maintained: Signal<Qpu | undefined>
}

/** What the text of the palette finds. */
export function Choice({ pages, text, at, pressed, close, showKeys, maintained }: ChoiceProps) {
  const app = useApp()
  const records = useSearched(text)
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
  const found = findCommands(commands, text, records)
  const choose = ({ href, run }: Command) => {
    close()
    run?.()
    if (href === undefined) return
    if (entryOf(href) === entryOf(location.pathname)) app.router.go(href)
    else location.assign(href)
  }
  useLayoutEffect(() => {
    const keys = pressed.value
    if (keys.length === 0) return
    pressed.value = []
    for (const key of keys) {
      const chosen = found[at.value]
      if (chosen && key === 'Enter') return choose(chosen)
      const step = key === 'ArrowDown' ? 1 : -1
      if (chosen) at.value = (at.value + step + found.length) % found.length
    }
    document.getElementById(`palette-${at.value}`)?.scrollIntoView({ block: 'nearest' })
  }, [pressed.value])
  return (
    <>
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
    </>
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
