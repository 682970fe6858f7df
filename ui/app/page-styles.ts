/** URL paths of the style sheets of pages by their subjects; `scripts/build-ui.ts` puts them in. */
declare const PAGE_STYLES: Readonly<Record<string, string>>

const loading = new Map<string, Promise<HTMLLinkElement>>()
let applied: HTMLLinkElement | undefined

/**
 * Loads the style sheet of a page, which joins those of its subjects, once. Returns how to apply it in place
 * of that of the page before. Rejects when it cannot be loaded.
 */
export async function loadPageStyles(subjects: readonly string[] = []): Promise<() => void> {
  const link = subjects.length > 0 ? await loadSheet(subjects.join(' ')) : undefined
  return () => {
    enable(applied, false)
    enable(link, true)
    applied = link
  }
}

/** Unlike an element, a sheet that is enabled again is not loaded again. */
function enable(link: HTMLLinkElement | undefined, isEnabled: boolean): void {
  if (link?.sheet) link.sheet.disabled = !isEnabled
}

function loadSheet(subjects: string): Promise<HTMLLinkElement> {
  const known = loading.get(subjects)
  if (known !== undefined) return known
  const path = PAGE_STYLES[subjects]
  if (!path) return Promise.reject(new TypeError(`There is no style sheet ${subjects}`))
  const sheet = new Promise<HTMLLinkElement>((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = path
    link.addEventListener('load', () => resolve(link))
    link.addEventListener('error', () => {
      loading.delete(subjects)
      link.remove()
      reject(new Error(`Could not load ${path}`))
    })
    document.head.append(link)
  })
  loading.set(subjects, sheet)
  return sheet
}
