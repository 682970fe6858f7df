import { computed, effect } from '@preact/signals'
import { session as schema } from '../api/model.ts'
import type { App } from './app.ts'
import { followTheme } from './theme.ts'

const RENEW_EVERY_MS = 3_600_000
/** A page out of sight for this long gives up its stream: browsers allow few connections to one server. */
const HIDDEN_GRACE_MS = 30_000

/** Starts what runs as long as the page does: first readings, the stream, renewal of the session, the theme. */
export function keepCurrent(app: App): void {
  followTheme((theme) => {
    app.theme.value = theme
  })
  void app.config.load()
  void app.qpus.load()
  void app.availability.load()
  void renew(app)

  const account = computed(() => app.session.current.value?.record.id)
  effect(() => {
    app.jobs.clear()
    if (account.value !== undefined) void app.jobs.load()
  })
  // The names of the topics come with the configuration; when that fails, the stream is tried by the usual names.
  const caller = computed(() => {
    const configured = app.config.value.value ?? app.config.error.value
    return configured && (account.value ?? 'guest')
  })
  effect(() => {
    if (caller.value !== undefined) app.live.open()
  })

  setInterval(() => void renew(app), RENEW_EVERY_MS)
  pauseWhileHidden(app)
}

/** A new token for the old one. A refusal ends the session inside the client; other failures wait for the next time. */
async function renew({ api, session }: App): Promise<void> {
  const before = session.current.peek()
  if (!before) return
  const path = `/api/collections/${before.record.collectionName}/auth-refresh`
  try {
    const renewed = await api.post(path, {}, schema)
    if (session.current.peek()?.token === before.token) session.set(renewed)
  } catch {
    // The old token stays in use while it is valid.
  }
}

function pauseWhileHidden({ live }: App): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(live.close, HIDDEN_GRACE_MS)
    else if (live.state.peek() === 'off') live.open()
  })
}
