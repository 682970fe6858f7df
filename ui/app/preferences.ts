/** Choices of each preference, the default first. */
export const CHOICES = {
  dates: ['written', 'iso', 'us'],
  density: ['comfortable', 'compact'],
  motion: ['system', 'reduced'],
} as const

/** A list with its filters, which the menu shows under a name. */
interface SavedView {
  name: string
  /** Path and query of this site. */
  address: string
}

export const MAX_VIEWS = 12
export const VIEW_NAME_LENGTH = 40

/** How this browser shows the pages. */
export interface Preferences {
  /** IANA name of the time zone; empty for the zone of the browser. */
  zone: string
  dates: (typeof CHOICES.dates)[number]
  density: (typeof CHOICES.density)[number]
  motion: (typeof CHOICES.motion)[number]
  views: readonly SavedView[]
  /** Titles of the columns that are not shown, by the name of their list. */
  hiddenColumns: Readonly<Record<string, readonly string[]>>
}

const KEY = 'svc.preferences'

/** The stored preferences; the default of each that is absent or unknown. */
export function readPreferences(): Preferences {
  const stored = readStored()
  const pick = <T extends string>(name: string, choices: readonly [T, ...T[]]): T =>
    choices.find((choice) => choice === stored[name]) ?? choices[0]
  return {
    zone: String(stored['zone'] ?? ''),
    dates: pick('dates', CHOICES.dates),
    density: pick('density', CHOICES.density),
    motion: pick('motion', CHOICES.motion),
    views: viewsOf(stored['views']),
    hiddenColumns: columnsOf(stored['hiddenColumns']),
  }
}

/** The stored views that are paths of this site; others may have been written by an older page. */
function viewsOf(stored: unknown): SavedView[] {
  const views: SavedView[] = Array.isArray(stored) ? stored : []
  return views.slice(0, MAX_VIEWS).flatMap((view) => {
    const [name, address] = [String(view?.name ?? ''), String(view?.address ?? '')]
    return name && /^\/\w[\w/-]*\?/.test(address) ? [{ name: name.slice(0, VIEW_NAME_LENGTH), address }] : []
  })
}

/** The stored titles by list; what is no list of texts is left out. */
function columnsOf(stored: unknown): Preferences['hiddenColumns'] {
  const lists = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
  return Object.fromEntries(
    lists.flatMap(([list, titles]) => (Array.isArray(titles) ? [[list, titles.map(String)]] : [])),
  )
}

function readStored(): Record<string, unknown> {
  try {
    return { ...JSON.parse(localStorage.getItem(KEY) ?? '{}') }
  } catch {
    return {}
  }
}

/** Stores and applies preferences. */
export function storePreferences(chosen: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen))
  } catch {
    // Without storage the choice lasts until the page is left.
  }
  applyPreferences(chosen)
}

/** Applies what style sheets read: `data-density` and `data-motion`. */
export function applyPreferences({ density, motion }: Preferences): void {
  const { dataset } = document.documentElement
  dataset['density'] = density
  dataset['motion'] = motion
}

/** Follows changes of other tabs. */
export function followPreferences(changed: (preferences: Preferences) => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key !== KEY) return
    const stored = readPreferences()
    applyPreferences(stored)
    changed(stored)
  })
}

/** The zone to show times in: the chosen one if this browser knows it, otherwise its own. */
export function effectiveZone(chosen: string): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: chosen || own }).resolvedOptions().timeZone
  } catch {
    return own
  }
}
