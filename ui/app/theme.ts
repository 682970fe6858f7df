/** The selected theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

const KEY = 'svc.theme'
const PREFERS_DARK = '(prefers-color-scheme: dark)'

/** The stored theme; `system` if there is none or storage is unavailable. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return THEMES.find((theme) => theme === stored) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Stores and applies a theme. */
export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the choice lasts until the page is left.
  }
  applyTheme(theme)
}

/** Shows a theme: style sheets read `data-theme`, which is always `light` or `dark`. */
export function applyTheme(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && matchMedia(PREFERS_DARK).matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
}

/** Follows theme changes of the operating system and of other tabs. */
export function followTheme(changed: (theme: Theme) => void): void {
  const refresh = () => {
    const theme = readTheme()
    applyTheme(theme)
    changed(theme)
  }
  matchMedia(PREFERS_DARK).addEventListener('change', refresh)
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) refresh()
  })
}
