import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import type { Page } from '../../app/page.ts'
import { browserHref, recordsPath, useCatalog } from '../collections/catalog.ts'
import { recordPage } from '../collections/model.ts'

interface Place {
  title: string
  detail: string
  href: string
}

/** Ids of records are 15 characters; shorter texts are names of collections and pages. */
const ID = /^[a-z0-9_-]{15}$/i
const PAUSE_MS = 200

/** Finds a collection, a page, or a record of any collection by its id. Ctrl+K focuses it. */
export function Find({ pages }: { pages: readonly Page[] }) {
  const { api, router } = useApp()
  const { collections } = useCatalog()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const [records, setRecords] = useState<readonly Place[]>([])
  const all = collections.value.value ?? []

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    setRecords([])
    const wanted = text.trim()
    if (!ID.test(wanted)) return undefined
    const abort = new AbortController()
    const search = async () => {
      const query = new URLSearchParams({
        filter: `id=${JSON.stringify(wanted)}`,
        fields: 'id',
        perPage: '1',
      })
      for (const { name } of all) {
        const found = await api.get(`${recordsPath(name)}?${query}`, recordPage, abort.signal)
        if (found.items.length === 0) continue
        return setRecords([{ title: wanted, detail: name, href: browserHref(name, { record: wanted }) }])
      }
    }
    const timer = setTimeout(() => void search().catch(() => undefined), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, all])

  const places =
    text.trim() === ''
      ? []
      : [
          ...records,
          ...placesOf(
            text,
            [...all].map(({ name }) => name),
            pages,
          ),
        ]
  const go = (place: Place) => {
    setText('')
    setOpen(false)
    router.go(place.href)
  }
  const onKey = (event: KeyboardEvent) => {
    const place = places[chosen]
    if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, places.length - 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter' && place) go(place)
    else if (event.key === 'Escape') setOpen(false)
    else return
    event.preventDefault()
  }
  const shown = isOpen && places.length > 0
  return (
    <search class="admin-find">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Find a record id or a collection"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown && places[chosen] ? `${id}-${chosen}` : undefined}
        placeholder="Find a record id or a collection"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setOpen(true)
          setChosen(0)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      <kbd>Ctrl K</kbd>
      <div id={`${id}-list`} role="listbox" aria-label="Found" class="found" hidden={!shown}>
        {places.map((place, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input names the active option instead
          <div
            key={place.href}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => go(place)}
          >
            <strong>{place.title}</strong>
            <span class="soft">{place.detail}</span>
          </div>
        ))}
      </div>
    </search>
  )
}

function placesOf(text: string, names: readonly string[], pages: readonly Page[]): Place[] {
  const wanted = text.trim().toLowerCase()
  const places = [
    ...names.map((name) => ({ title: name, detail: 'collection', href: browserHref(name) })),
    ...pages.filter(({ menu }) => menu).map(({ title, path }) => ({ title, detail: 'server', href: path })),
  ]
  return places.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, 8)
}
