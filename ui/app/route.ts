import { type Signal, signal } from '@preact/signals'

/** The current URL as signals. */
export interface Router {
  path: Signal<string>
  search: Signal<URLSearchParams>
  /** Navigates to a path of this site, which may have a query. */
  go(to: string, options?: { replace?: boolean; keepScroll?: boolean }): void
}

/** Creates a router on the History API that handles plain clicks on links within this site. */
export function createRouter(): Router {
  const path = signal(location.pathname)
  const search = signal(new URLSearchParams(location.search))
  const read = () => {
    path.value = location.pathname
    search.value = new URLSearchParams(location.search)
  }
  const go: Router['go'] = (to, { replace = false, keepScroll = replace } = {}) => {
    if (replace) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
    read()
    if (!keepScroll) scrollTo(0, 0)
  }
  addEventListener('popstate', read)
  document.addEventListener('click', (event) => {
    const to = plainLink(event)
    if (to === undefined) return
    event.preventDefault()
    go(to)
  })
  return { path, search, go }
}

/** The link target of a click that the router handles; undefined for new tabs, downloads and other sites. */
function plainLink(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  if (entryOf(link.pathname) !== entryOf(location.pathname)) return undefined
  if (link.hash && link.pathname === location.pathname) return undefined
  return link.pathname + link.search
}

/** The part of the site that serves a path; only links within one part are handled without a page load. */
export function entryOf(path: string): 'admin' | 'api' | 'docs' | 'dashboard' {
  const [, first] = path.split('/')
  if (first === '_') return 'admin'
  return first === 'api' || first === 'docs' ? first : 'dashboard'
}

/** Values of the `:name` segments if `path` matches `pattern`, otherwise undefined. */
export function matchRoute(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(.)\/+$/, '$1').split('/')
  if (wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':') && value !== '') values[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return values
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The path to open after a login, taken from untrusted text; `/` if it is not a path of this site. */
export function safePath(text: string | null): string {
  const isOwn = text !== null && /^\/(?![/\\])/.test(text)
  return isOwn && !text.startsWith('/login') ? text : '/'
}
