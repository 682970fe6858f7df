import { computed, effect } from '@preact/signals'
import { HOUR_MS } from '../../src/base/portable/units.ts'
import { renewLogin } from '../api/auth.ts'
import type { App } from './app.ts'
import { followPreferences } from './preferences.ts'
import { followTheme } from './theme.ts'

const RENEW_EVERY_MS = HOUR_MS
/** A page hidden for this long leaves the stream, and loads what has changed when it is seen again. */
const HIDDEN_GRACE_MS = 30_000

/**
 * Starts what lives as long as the page: the first requests, the event stream, token renewal and the theme.
 */
export function keepCurrent(app: App): void {
  followTheme((theme) => {
    app.theme.value = theme
  })
  followPreferences((preferences) => {
    app.preferences.value = preferences
  })
  void app.whenConfigured()

  const account = computed(() => app.auth.current.value?.record.id ?? '')
  effect(() => {
    void account.value
    app.jobs.clear()
    app.notices.clear()
  })
  app.live.open()
  const load = () => {
    void app.qpus.load()
    if (account.peek() === '') return
    void app.jobs.load()
    void app.notices.load()
    void renewLogin(app)
  }
  app.live.whenCurrent(load)
  app.live.recoveries.subscribe((count) => count > 0 && load())

  setInterval(() => void renewLogin(app), RENEW_EVERY_MS)
  pauseWhileHidden(app)
}

function pauseWhileHidden({ live }: App): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const follow = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(live.close, HIDDEN_GRACE_MS)
    else if (live.state.peek() === 'off') live.open()
  }
  document.addEventListener('visibilitychange', follow)
  addEventListener('pagehide', live.close)
  // A tab may open behind another one.
  follow()
}
