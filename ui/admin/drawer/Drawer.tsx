import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { ErrorBox, Loaded } from '../../parts/Panel.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { recordsPath } from '../collections/catalog.ts'
import { type Collection, isLarge, type Row, record } from '../collections/model.ts'
import { fieldsQuery, Id } from '../collections/Value.tsx'
import { Fields } from './Fields.tsx'
import { History } from './History.tsx'
import { Relations } from './Relations.tsx'
import type { Guard } from './use-guard.ts'

interface DrawerProps {
  collection: Collection
  all: readonly Collection[]
  /** Id of the record, or `new`. */
  id: string
  guard: Guard
  close: () => void
  /** Opens the next or the previous record of the list. */
  step: (by: 1 | -1) => void
  saved: (id: string) => void
  remove: (id: string) => void
}

const TABS = ['fields', 'json', 'relations', 'history'] as const
type Tab = (typeof TABS)[number]
const TITLES: Record<Tab, string> = {
  fields: 'Fields',
  json: 'JSON',
  relations: 'Relations',
  history: 'History',
}

/** One record beside the list: its fields as a form, JSON, relations and history. */
export function Drawer(props: DrawerProps) {
  const { collection, id, guard, close, step } = props
  const heading = useRef<HTMLHeadingElement>(null)
  const isNew = id === 'new'
  // The focus returns to the row, or to the button, from which it was opened.
  useEffect(() => {
    const opener = document.activeElement
    heading.current?.focus()
    return () => {
      const back = opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector('h1')
      back?.focus()
    }
  }, [isNew])
  const leave = async () => {
    if (await guard.mayLeave()) close()
  }
  return (
    <aside
      class="drawer"
      aria-labelledby="drawer-title"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        void leave()
      }}
    >
      <header>
        <div>
          <h2 id="drawer-title" ref={heading} tabIndex={-1}>
            {isNew ? `New record of ${collection.name}` : collection.name}
          </h2>
          {!isNew && <Id id={id} />}
        </div>
        <div class="actions">
          {!isNew && (
            <>
              <button
                type="button"
                class="quiet"
                aria-label="Previous record"
                title="k"
                onClick={() => step(-1)}
              >
                ↑
              </button>
              <button type="button" class="quiet" aria-label="Next record" title="j" onClick={() => step(1)}>
                ↓
              </button>
            </>
          )}
          <button type="button" class="quiet" aria-label="Close" title="Esc" onClick={leave}>
            ✕
          </button>
        </div>
      </header>
      {isNew ? <Fields key="new" {...props} row={undefined} /> : <Stored key={id} {...props} />}
    </aside>
  )
}

/** A record that exists. */
function Stored(props: DrawerProps) {
  const { collection, all, id } = props
  const { api } = useApp()
  const query = useQuery()
  const tab = TABS.find((each) => each === query.get('tab')) ?? 'fields'
  const small = collection.fields.filter((field) => !isLarge(field) && field.type !== 'password')
  const { fields, expand } = fieldsQuery(small, all)
  const row = useResource<Row>(
    (abort) => {
      const search = new URLSearchParams({ fields, ...(expand && { expand }) })
      return api.get(`${recordsPath(collection.name, id)}?${search}`, record, abort)
    },
    [id],
  )
  useLive(`${collection.name}/${id}`, row.follow)
  const value = row.value.value
  if (row.error.value?.status === 404) {
    return (
      <p class="notice tone-warn" role="alert">
        This record does not exist. It may have been deleted.
      </p>
    )
  }
  if (value === undefined || value.id !== id) {
    return <Loaded of={row} task="load the record" rows={6} children={() => null} />
  }
  return (
    <>
      {row.error.value && (
        <ErrorBox error={row.error.value} task="load the record" retry={() => void row.load()} />
      )}
      <Tabs
        label="Views of the record"
        tabs={TABS.map((each) => ({ id: each, title: TITLES[each] }))}
        selected={tab}
        onSelect={(to) => query.set({ tab: to === 'fields' ? '' : to })}
      >
        {/* Kept while another view is shown, so that no change is lost. */}
        <div hidden={tab !== 'fields'}>
          <Fields {...props} row={value} />
        </div>
        {tab === 'json' && <Json collection={collection} row={value} />}
        {tab === 'relations' && <Relations collection={collection} all={all} row={value} />}
        {tab === 'history' && <History id={id} />}
      </Tabs>
    </>
  )
}

function Json({ collection, row }: { collection: Collection; row: Row }) {
  const { expand: _, ...own } = row
  const large = collection.fields.filter(isLarge).map(({ name }) => name)
  return (
    <div class="drawer-body">
      <CodeBlock title="Record" text={JSON.stringify(own, null, 2)} />
      {large.length > 0 && (
        <p class="hint">Without {large.join(' and ')}, which may be large: the fields load them on demand.</p>
      )}
    </div>
  )
}
