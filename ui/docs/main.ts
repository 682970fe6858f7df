/** What pages of the documentation do beyond HTML: theme, the site's name, copying of code, and search. */
import { followTheme, readTheme, setTheme, THEMES } from '../app/theme.ts'
import { copyText } from '../lib/copy-text.ts'
import { markShownHeading, showCurrentDocument } from './contents.ts'
import { listenForSearch } from './search-dialog.ts'

const COPIED_MS = 2_000

chooseTheme()
offerCopies()
showCurrentDocument()
markShownHeading()
listenForSearch()
void showSiteName()

function chooseTheme(): void {
  const select = document.querySelector<HTMLSelectElement>('#theme')
  if (!select) return
  select.hidden = false
  select.value = readTheme()
  select.addEventListener('change', () => setTheme(THEMES.find((one) => one === select.value) ?? 'system'))
  followTheme((theme) => {
    select.value = theme
  })
}

/** Gives each block of code a button. */
function offerCopies(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      button.textContent = (await copyText(block.querySelector('code')?.textContent ?? ''))
        ? 'Copied'
        : 'Not copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, COPIED_MS)
    })
    block.append(button)
  }
}

/** The pages are built before the site has a name. */
async function showSiteName(): Promise<void> {
  const response = await fetch('/api/ui/config').catch(() => undefined)
  const config: unknown = response?.ok ? await response.json() : undefined
  const place = document.querySelector('#site')
  if (!place || typeof config !== 'object' || config === null || !('name' in config)) return
  place.textContent = String(config.name)
  document.title = document.title.replace(/ · [^·]*$/, ` · ${config.name}`)
}
