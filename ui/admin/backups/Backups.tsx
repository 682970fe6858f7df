import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type * as v from 'valibot'
import { HOUR_MS } from '../../../src/base/portable/units.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Menu, type MenuItem } from '../../parts/Menu.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Empty, ErrorBox, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { useAction } from '../../parts/use-confirm.ts'
import { type Backup, backups, canRestore, formatBytes, operation } from './model.ts'
import { OperationState } from './OperationState.tsx'

const POLL_MS = 700
/** Others make backups too, and so does the server. */
const REFRESH_MS = 5_000
const PATH = '/api/op/backups'

/** Backups: make, check, download, restore and delete them. */
export function Backups() {
  const { api, attempt } = useApp()
  const act = useAction()
  const list = useResource((abort) => api.get(PATH, backups, abort), [])
  const busy = useSignal(false)
  const current = list.value.value?.operation ?? undefined
  const isRunning = current?.state === 'running'
  // A restore ends the stream of changes and refuses requests meanwhile, so progress is asked for.
  useEffect(() => {
    const isUrgent = isRunning || list.error.value !== undefined
    const timer = setInterval(
      () => (isUrgent || document.visibilityState === 'visible') && void list.load(),
      isUrgent ? POLL_MS : REFRESH_MS,
    )
    return () => clearInterval(timer)
  }, [isRunning, list.error.value])

  const begin = async (path: string, body: object) => {
    if (busy.peek() || isRunning) return
    busy.value = true
    await attempt(async () => {
      const started = await api.post(path, body, operation)
      const shown = list.value.peek()
      if (shown) list.value.value = { ...shown, operation: started }
    })
    busy.value = false
  }
  const pathOf = ({ name }: Backup, action: string) => `${PATH}/${encodeURIComponent(name)}${action}`
  const restore = async (chosen: Backup) => {
    const { name } = chosen
    const question = {
      title: `Restore ${name}?`,
      body: 'The database is replaced by the backup; everything after it is lost. The server refuses requests for some seconds, running jobs are run again, and drivers reconnect. The current database is kept in the same folder.',
      action: 'Restore',
      tone: 'bad' as const,
      typed: name,
    }
    await act(question, () => begin(`${PATH}/restore`, { name, confirm: name }))
  }
  const remove = async (chosen: Backup) => {
    const body = `The file with ${formatBytes(chosen.bytes)} is removed with the result of its check.`
    const isGone = await act(
      { title: `Delete ${chosen.name}?`, body, action: 'Delete', tone: 'bad' },
      () => api.remove(pathOf(chosen, '')),
      `Deleted ${chosen.name}`,
    )
    if (isGone) await list.load()
  }
  const download = async (chosen: Backup) => {
    const body = `It has ${formatBytes(chosen.bytes)} and contains the keys that sign logins: keep it where nobody else can read it.`
    await act({ title: `Download ${chosen.name}?`, body, action: 'Download' }, () =>
      api.download(pathOf(chosen, '/file'), chosen.name),
    )
  }
  const all = list.value.value?.backups ?? []
  const shown = list.value.value
  // While it restores, the server refuses requests; that is shown as progress, not as an error.
  const error = current?.kind === 'restore' && isRunning ? undefined : list.error.value
  const actions = (each: Backup): MenuItem[] => [
    { title: 'Verify', run: () => void begin(pathOf(each, '/verify'), {}) },
    { title: 'Download…', run: () => void download(each) },
    ...(canRestore(each) ? [{ title: 'Restore…', run: () => void restore(each) }] : []),
    { title: 'Delete…', run: () => void remove(each), tone: 'bad' },
  ]
  return (
    <>
      <Heading title="Backups" lead={list.value.value && leadOf(all)}>
        <button
          type="button"
          class="primary"
          aria-disabled={busy.value || isRunning}
          onClick={() => void begin(PATH, {})}
        >
          Make a backup
        </button>
      </Heading>
      <div class="stack">
        {current && <OperationState operation={current} isUnreachable={list.error.value !== undefined} />}
        <Panel title="Files">
          {shown === undefined ? (
            <Loaded of={list} task="load the backups" rows={4}>
              {() => null}
            </Loaded>
          ) : (
            <>
              {error && <ErrorBox error={error} task="load the backups" retry={() => void list.load()} />}
              <Files shown={shown} actions={actions} />
            </>
          )}
        </Panel>
      </div>
    </>
  )
}

interface FilesProps {
  shown: v.InferOutput<typeof backups>
  actions: (backup: Backup) => readonly MenuItem[]
}

function Files({ shown: { backups: rows, total }, actions }: FilesProps) {
  if (rows.length === 0) {
    return (
      <Empty action={<a href="/docs/how-to/back-up#regularly">Make them regularly</a>}>
        There is no backup yet.
      </Empty>
    )
  }
  return (
    <>
      <DataTable<Backup>
        label="Backups"
        rows={rows}
        id={({ name }) => name}
        columns={[
          {
            title: 'File',
            cell: ({ name, kind }) => (
              <>
                <code>{name}</code>
                {kind === 'earlier' && <p class="soft plain">kept by a restore or an upgrade</p>}
              </>
            ),
          },
          { title: 'Check', phone: 'state', cell: (each) => <CheckState backup={each} /> },
          { title: 'Created', number: true, cell: ({ created }) => <Moment at={created} /> },
          { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
          { title: 'Version', phone: 'absent', cell: ({ version }) => version || '–' },
          {
            title: 'Actions',
            untitled: true,
            cell: (each) => <Menu button="Actions" label={`Actions on ${each.name}`} items={actions(each)} />,
          },
        ]}
      />
      {total > rows.length && (
        <p class="hint padded">
          The newest {rows.length} of {total} are listed.
        </p>
      )}
    </>
  )
}

function CheckState({ backup: { verified, problem, findings } }: { backup: Backup }) {
  if (problem) return <Status tone="bad" glyph="cross" word="Cannot be restored" />
  if (findings > 0) return <Status tone="bad" glyph="cross" word={formatNumberOf(findings, 'finding')} />
  if (verified === '') return <Status tone="idle" glyph="ring" word="Not checked" />
  return (
    <span title={verified}>
      <Status tone="ok" glyph="check" word="Checked" />
    </span>
  )
}

function leadOf(all: readonly Backup[]): string {
  const newest = all.find(({ kind, problem }) => kind === 'backup' && problem === '')
  if (!newest) return 'There is no backup that could be restored.'
  const hours = Math.floor((Date.now() - (parseTime(newest.created) ?? 0)) / HOUR_MS)
  const age =
    hours < 1
      ? 'less than an hour'
      : hours < 48
        ? formatNumberOf(hours, 'hour')
        : formatNumberOf(Math.floor(hours / 24), 'day')
  return sentence(`the newest backup is ${age} old.`)
}
