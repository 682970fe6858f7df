/** URL paths of the style sheets of pages by subject; `scripts/build-ui.ts` puts them in. */
declare const PAGE_STYLES: Readonly<Record<string, string>>

const loading = new Map<string, Promise<void>>()

/** Loads the style sheets of subjects once. Rejects when one of them cannot be loaded. */
export async function loadPageStyles(subjects: readonly string[] = []): Promise<void> {
  await Promise.all(subjects.map(loadSheet))
}

function loadSheet(subject: string): Promise<void> {
  const known = loading.get(subject)
  if (known !== undefined) return known
  const path = PAGE_STYLES[subject]
  if (!path) return Promise.reject(new TypeError(`There is no style sheet ${subject}`))
  const sheet = new Promise<void>((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = path
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => {
      loading.delete(subject)
      link.remove()
      reject(new Error(`Could not load ${path}`))
    })
    document.head.append(link)
  })
  loading.set(subject, sheet)
  return sheet
}
