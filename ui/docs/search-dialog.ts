import type { Found } from './search.ts'

const SPACING_MS = 60

/**
 * Opens search by its button, by `/` or Ctrl+K, and by an address with `?q=`. The index is loaded when it is
 * first opened.
 */
export function listenForSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('#search')
  const input = document.querySelector<HTMLInputElement>('#query')
  const list = document.querySelector<HTMLElement>('#results')
  const found = document.querySelector<HTMLElement>('#found')
  const button = document.querySelector<HTMLButtonElement>('#search-button')
  if (!dialog || !input || !list || !found || !button) return
  const open = () => {
    if (dialog.open) return
    dialog.showModal()
    input.select()
    void showResults()
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const showResults = async () => {
    const query = input.value
    try {
      const { search } = await import('./search.ts')
      const results = await search(query)
      if (query === input.value) render(results, query)
    } catch {
      found.textContent = 'The index could not be loaded. Try again when the server responds.'
    }
  }
  const render = (results: readonly Found[], query: string) => {
    list.replaceChildren(...results.map(optionOf))
    input.setAttribute('aria-expanded', String(results.length > 0))
    select(0)
    found.textContent = query.trim() === '' ? '' : countOf(results.length)
  }
  const options = () => [...list.querySelectorAll<HTMLElement>('[role=option]')]
  const select = (index: number) => {
    const all = options()
    const wanted = all[Math.max(0, Math.min(index, all.length - 1))]
    for (const option of all) option.setAttribute('aria-selected', String(option === wanted))
    if (wanted) input.setAttribute('aria-activedescendant', wanted.id)
    else input.removeAttribute('aria-activedescendant')
    wanted?.scrollIntoView({ block: 'nearest' })
  }
  const selected = () => options().findIndex((option) => option.getAttribute('aria-selected') === 'true')
  const follow = (option: Element | undefined | null) => {
    const target = option?.getAttribute('data-url')
    if (!target) return
    dialog.close()
    location.assign(target)
  }

  button.hidden = false
  button.addEventListener('click', open)
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void showResults(), SPACING_MS)
  })
  input.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      select(selected() + step)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      follow(options()[selected()])
    }
  })
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element) follow(target.closest('[role=option]'))
  })
  const asked = new URLSearchParams(location.search).get('q')
  if (asked) {
    input.value = asked
    open()
  }
  document.addEventListener('keydown', (event) => {
    if (!isSearchKey(event)) return
    event.preventDefault()
    open()
  })
}

function isSearchKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k') return ctrlKey || metaKey
  const types = target instanceof Element && target.matches('input, textarea, select')
  return key === '/' && !ctrlKey && !metaKey && !altKey && !types
}

function countOf(count: number): string {
  if (count === 0) return 'No section contains these words'
  return count === 1 ? 'One section' : `${count} sections`
}

function optionOf({ url, title, heading, excerpt }: Found, index: number): HTMLElement {
  const option = document.createElement('div')
  option.id = `result-${index}`
  option.role = 'option'
  option.dataset['url'] = url
  const add = (tag: string, text: string) => {
    const part = document.createElement(tag)
    part.textContent = text
    option.append(part)
  }
  add('strong', heading === '' ? title : `${title} › ${heading}`)
  add('span', excerpt)
  return option
}
