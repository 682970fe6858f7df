import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { recordsPath } from '../collections/catalog.ts'
import {
  type Collection,
  type Field,
  isList,
  labelFields,
  labelOf,
  type Row,
  recordPage,
  targetOf,
} from '../collections/model.ts'
import { relatedRows } from '../collections/Value.tsx'

interface RelationPickerProps {
  id: string
  field: Field
  all: readonly Collection[]
  row: Row | undefined
  ids: readonly string[]
  set: (ids: readonly string[]) => void
  isInvalid: boolean
}

const FOUND = 8
const PAUSE_MS = 150

/** Chooses related records by searching for their names or ids. */
export function RelationPicker({ id, field, all, row, ids, set, isInvalid }: RelationPickerProps) {
  const target = targetOf(field, all)
  const [known, setKnown] = useState<readonly Row[]>(() => (row ? relatedRows(row, field) : []))
  const [isOpen, setOpen] = useState(ids.length === 0)
  const many = isList(field)
  if (!target)
    return (
      <output id={id} class="fixed">
        {ids.join(', ')}
      </output>
    )
  const labels = labelFields(target)
  const drop = (gone: string) => set(ids.filter((each) => each !== gone))
  return (
    <div class="relation" id={isOpen ? undefined : id}>
      {ids.map((each) => {
        const found = known.find((other) => other.id === each)
        return (
          <div key={each} class="related">
            <span>
              <strong>{found ? labelOf(found, labels) : each}</strong>{' '}
              <span class="soft">{found && labels[1] ? String(found[labels[1]] ?? '') : ''}</span>
            </span>
            <button type="button" class="link" onClick={() => drop(each)}>
              {many || !field.required ? 'Remove' : 'Change'}
              <span class="unseen"> {field.name}</span>
            </button>
          </div>
        )
      })}
      {many || ids.length === 0 ? (
        <Search
          id={id}
          target={target}
          isInvalid={isInvalid}
          isOpen={isOpen}
          setOpen={setOpen}
          label={field.name}
          taken={ids}
          pick={(found) => {
            setKnown([...known, found])
            set(many ? [...ids, found.id] : [found.id])
          }}
        />
      ) : null}
    </div>
  )
}

interface SearchProps {
  id: string
  label: string
  target: Collection
  taken: readonly string[]
  isInvalid: boolean
  isOpen: boolean
  setOpen: (open: boolean) => void
  pick: (found: Row) => void
}

function Search({ id, label, target, taken, isInvalid, pick }: SearchProps) {
  const { api } = useApp()
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState<string | undefined>(undefined)
  const [chosen, setChosen] = useState(0)
  const labels = labelFields(target)
  useEffect(() => {
    if (wanted === undefined) return undefined
    const timer = setTimeout(() => setWanted(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const found = useResource(
    async (abort) => {
      if (wanted === undefined) return []
      const query = new URLSearchParams({
        perPage: String(FOUND),
        skipTotal: 'true',
        fields: ['id', ...labels].join(','),
        ...(wanted && { filter: searchFilter(labels, wanted) }),
      })
      return (await api.get(`${recordsPath(target.name)}?${query}`, recordPage, abort)).items
    },
    [wanted],
  )
  const rows = wanted === undefined ? [] : (found.value.value ?? []).filter((row) => !taken.includes(row.id))
  const take = (row: Row) => {
    pick(row)
    setText('')
    setWanted(undefined)
  }
  const onKey = (event: KeyboardEvent) => {
    const row = rows[chosen]
    if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, rows.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter' && row) take(row)
    else if (event.key === 'Escape' && wanted !== undefined) setWanted(undefined)
    else return
    event.preventDefault()
  }
  return (
    <div class="relation-search">
      <input
        id={id}
        type="text"
        role="combobox"
        aria-label={`Search ${target.name} for ${label}`}
        aria-expanded={rows.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={rows[chosen] ? `${id}-found-${chosen}` : undefined}
        aria-invalid={isInvalid || undefined}
        autocomplete="off"
        placeholder={`Search ${target.name}`}
        value={text}
        onFocus={() => setWanted(text)}
        onBlur={() => setWanted(undefined)}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setChosen(0)
          if (wanted === undefined) setWanted(currentTarget.value)
        }}
        onKeyDown={onKey}
      />
      <div
        id={`${id}-found`}
        role="listbox"
        aria-label={`Found ${target.name}`}
        class="found"
        hidden={rows.length === 0}
      >
        {rows.map((row, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input names the active option instead
          <div
            key={row.id}
            id={`${id}-found-${at}`}
            role="option"
            aria-selected={at === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(row)}
          >
            <strong>{labelOf(row, labels)}</strong>
            <span class="soft">{labels[1] ? String(row[labels[1]] ?? '') : row.id}</span>
          </div>
        ))}
      </div>
      {found.error.value && wanted !== undefined && <p class="field-error">{found.error.value.message}</p>}
    </div>
  )
}

/** Finds records whose name contains the text, and the one with this id. */
function searchFilter(labels: readonly string[], text: string): string {
  const quoted = JSON.stringify(text)
  return [`id=${quoted}`, ...labels.map((label) => `${label}~${quoted}`)].join('||')
}
