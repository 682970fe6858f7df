import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { createResource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { type Query, useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { listenForKeys } from '../../lib/keys.ts'
import { moveRow } from '../../lib/rows.ts'
import { Select } from '../../parts/form/form.tsx'
import { Empty, ErrorBox, Heading, Loaded } from '../../parts/Panel.tsx'
import { Pager } from '../../parts/table/Pager.tsx'
import { browserHref, countRecords, recordsPath, useCatalog } from '../collections/catalog.ts'
import { creationOf } from '../collections/created-by.ts'
import { type Collection, describeAccess, type Row, recordPage } from '../collections/model.ts'
import { fieldsQuery } from '../collections/Value.tsx'
import { Drawer } from '../drawer/Drawer.tsx'
import { hasForm } from '../drawer/form.ts'
import { type Guard, useGuard } from '../drawer/use-guard.ts'
import { FilterBox } from '../filter/FilterBox.tsx'
import { ColumnMenu } from './ColumnMenu.tsx'
import { type Column, loadColumns, storeColumns } from './columns.ts'
import { DeleteRecords } from './DeleteRecords.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { RecordTable } from './RecordTable.tsx'

const SIZES = ['25', '50', '100'] as const
/** A collection with many changes, such as readings, is loaded again this often. */
const LIVE_SPACING_MS = 1_500
const COUNT_SPACING_MS = 5_000
/** Refusals that the filter box shows, since a change of the filter is the remedy. */
const FILTER_CODES = new Set(['bad_filter', 'filter_too_costly'])

/** The records of one collection. */
export function Records({ params }: PageProps) {
  const { collections } = useCatalog()
  return (
    <Loaded of={collections} task="load the collections" rows={8} title="Records">
      {(all) => {
        const collection = all.find(({ name }) => name === params['collection'])
        if (!collection) {
          return (
            <Empty action={<a href="/_/">All collections</a>}>
              There is no collection “{params['collection']}”.
            </Empty>
          )
        }
        return <Browser key={collection.name} collection={collection} all={all} />
      }}
    </Loaded>
  )
}

interface BrowserProps {
  collection: Collection
  all: readonly Collection[]
}

function Browser({ collection, all }: BrowserProps) {
  const { api, superuser } = useApp()
  const { counts, recount } = useCatalog()
  const query = useQuery()
  const { filter, sort, page, size } = stateOf(query)
  const [columns, setColumns] = useState<readonly Column[]>(() => loadColumns(collection))
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const deleting = useSignal<readonly string[] | undefined>(undefined)
  const names = useMemo(() => ({ collection, all }), [collection, all])
  const shown = columns.map(({ field }) => field)
  const { fields, expand } = fieldsQuery(shown, all)

  const list = useResource(
    async (abort) => {
      const search = new URLSearchParams({
        page: String(page),
        perPage: String(size),
        skipTotal: 'true',
        fields,
        sort,
        ...(filter && { filter }),
        ...(expand && { expand }),
      })
      return (await api.get(`${recordsPath(collection.name)}?${search}`, recordPage, abort)).items
    },
    [filter, sort, page, size, fields],
  )
  // Counted apart, so that the page never waits for it; where it takes too long, there is no total.
  const total = useResource(
    async (abort) => (filter === '' ? undefined : countRecords(api, collection.name, filter, abort)),
    [filter],
  )
  const whole = useMemo(() => createResource(() => recount(collection.name)), [])
  useLive(superuser.value ? `${collection.name}/*` : [], (event) => {
    list.loadSoon(LIVE_SPACING_MS)
    // A changed record may match the filter, or no longer.
    total.loadSoon(COUNT_SPACING_MS)
    if (event.action !== 'update') whole.loadSoon(COUNT_SPACING_MS)
  })

  const rows = list.value.value
  const opened = query.get('record')
  const guard = useGuard()
  const step = useRowKeys(rows, query, opened, guard)
  const error = list.error.value
  const isRefused = error !== undefined && FILTER_CODES.has(error.code)
  const count = filter === '' ? counts.value[collection.name] : total.value.value
  const change = (next: readonly Column[]) => {
    setColumns(next)
    storeColumns(collection, next)
  }
  const resize = (name: string, width: number) =>
    change(columns.map((each) => (each.field.name === name ? { ...each, width } : each)))
  const reload = () => {
    void list.load()
    void total.load()
    void whole.load()
  }
  return (
    <div class={opened ? 'browser with-drawer' : 'browser'}>
      <Heading title={collection.name} lead={<Lead count={count} filter={filter} collection={collection} />}>
        <a class="button" href={`/_/api?collection=${encodeURIComponent(collection.name)}`}>
          API
        </a>
        {hasForm(collection) && (
          <a class="button primary" href={hrefWith(collection, query, 'new')}>
            New record
          </a>
        )}
      </Heading>
      <FilterBox
        names={names}
        value={filter}
        refused={isRefused ? error.message : undefined}
        run={(next) => {
          if (next === filter) reload()
          else query.set({ filter: next, page: '', record: '' }, { push: true })
        }}
      />
      <section class="panel" aria-label="Records">
        <header>
          <Selection
            collection={collection}
            selected={selected.value}
            clear={() => (selected.value = new Set())}
            remove={() => (deleting.value = [...selected.peek()])}
          />
          <div class="actions">
            {selected.value.size === 0 && <ExportMenu collection={collection} filter={filter} />}
            <ColumnMenu collection={collection} columns={columns} set={change} />
          </div>
        </header>
        {error && !isRefused && (
          <ErrorBox error={error} task="load the records" retry={() => void list.load()} />
        )}
        {rows === undefined ? (
          !error && <Loaded of={list} task="load the records" rows={8} children={() => null} />
        ) : rows.length === 0 ? (
          <NoRecords collection={collection} filter={filter} page={page} query={query} />
        ) : (
          <RecordTable
            collection={collection}
            all={all}
            rows={rows}
            columns={columns}
            resize={resize}
            selected={selected}
            opened={opened}
            sort={{ by: sort, set: (by) => query.set({ sort: by, page: '' }) }}
            hrefOf={(id) => hrefWith(collection, query, id)}
            open={(id) => step.open(id)}
            busy={list.loading.value}
          />
        )}
        <footer class="table-foot">
          <Select
            class="quiet"
            aria-label="Records per page"
            value={String(size)}
            choices={SIZES.map((each) => [String(each), `${each} per page`])}
            set={(each) => query.set({ size: each, page: '' })}
          />
          <Pager
            page={page}
            size={size}
            shown={rows?.length ?? 0}
            total={count}
            set={(to) => query.set({ page: to })}
          />
        </footer>
      </section>
      {opened !== '' && (
        <Drawer
          collection={collection}
          all={all}
          id={opened}
          close={() => query.set({ record: '', tab: '' })}
          step={step.by}
          guard={guard}
          saved={(id) => {
            reload()
            if (opened === 'new') query.set({ record: id })
          }}
          remove={(id) => (deleting.value = [id])}
        />
      )}
      {deleting.value && (
        <DeleteRecords
          collection={collection}
          ids={deleting.value}
          done={(removed) => {
            deleting.value = undefined
            if (removed.length === 0) return
            selected.value = new Set([...selected.peek()].filter((id) => !removed.includes(id)))
            if (removed.includes(query.get('record'))) query.set({ record: '', tab: '' })
            reload()
          }}
        />
      )}
    </div>
  )
}

/** The state of the page, which the address holds. */
function stateOf(query: Query) {
  return {
    filter: query.get('filter'),
    sort: query.get('sort') || '-created',
    page: Math.max(1, Number(query.get('page')) || 1),
    size: Number(SIZES.find((each) => each === query.get('size')) ?? 50),
  }
}

function hrefWith(collection: Collection, query: Query, record: string): string {
  const kept = Object.fromEntries(
    ['filter', 'sort', 'page', 'size', 'tab'].flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, value]] : []
    }),
  )
  return browserHref(collection.name, { ...kept, record })
}

/** The keys j and k walk along the rows or, while the drawer is open, along the records in it. */
function useRowKeys(rows: readonly Row[] | undefined, query: Query, opened: string, guard: Guard) {
  const open = async (id: string) => {
    if (await guard.mayLeave()) query.set({ record: id })
  }
  const by = (steps: 1 | -1) => {
    if (!opened || opened === 'new') return moveRow(steps)
    const at = rows?.findIndex(({ id }) => id === opened) ?? -1
    const next = rows?.[at + steps]
    if (next) void open(next.id)
  }
  useEffect(
    () =>
      listenForKeys([
        { keys: ['j'], does: 'Next record', run: () => by(1) },
        { keys: ['k'], does: 'Previous record', run: () => by(-1) },
      ]),
    [rows, opened],
  )
  return { open, by }
}

function Lead({
  count,
  filter,
  collection,
}: {
  count: number | undefined
  filter: string
  collection: Collection
}) {
  const { named } = useApp()
  const creation = hasForm(collection) ? undefined : creationOf(collection.name, named)
  const what = filter === '' ? 'records' : 'records match the filter'
  const number =
    count === undefined
      ? ''
      : count === 1
        ? `1 ${what.replace('records match', 'record matches').replace('records', 'record')}. `
        : `${formatCount(count)} ${what}. `
  return (
    <>
      {number}
      {describeAccess(collection)}
      {creation && (
        <>
          {' '}
          <code>{creation.route}</code> {creation.text}
        </>
      )}
    </>
  )
}

interface SelectionProps {
  collection: Collection
  selected: ReadonlySet<string>
  clear: () => void
  remove: () => void
}

function Selection({ collection, selected, clear, remove }: SelectionProps) {
  if (selected.size === 0) return <h2>Records</h2>
  return (
    <div class="actions">
      <strong role="status">{formatCount(selected.size)} selected</strong>
      <ExportMenu collection={collection} ids={[...selected]} />
      <button type="button" onClick={remove}>
        Delete…
      </button>
      <button type="button" class="quiet" onClick={clear}>
        Clear selection
      </button>
    </div>
  )
}

interface NoRecordsProps {
  collection: Collection
  filter: string
  page: number
  query: Query
}

function NoRecords({ collection, filter, page, query }: NoRecordsProps) {
  if (page > 1) {
    const action = (
      <button type="button" onClick={() => query.set({ page: '' })}>
        First page
      </button>
    )
    return <Empty action={action}>This page is past the last one.</Empty>
  }
  if (filter === '') return <Empty>{collection.name} has no records yet.</Empty>
  const action = (
    <button type="button" onClick={() => query.set({ filter: '' })}>
      Show all records
    </button>
  )
  return <Empty action={action}>No record matches the filter.</Empty>
}
