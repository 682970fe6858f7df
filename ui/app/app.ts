import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import * as v from 'valibot'
import { type Api, asApiError, createApi } from '../api/api.ts'
import { type AuthStore, createAuthStore, isSuperuser, renewLogin, streamLoginOf } from '../api/auth.ts'
import { joinStream } from '../api/join-stream.ts'
import { createLive, type Live, type LiveListener } from '../api/live.ts'
import { type Account, account } from '../api/model/account.ts'
import { type UiConfig, uiConfig } from '../api/model/config.ts'
import { type Job, jobs } from '../api/model/jobs.ts'
import type { LiveEvent } from '../api/model/live.ts'
import { type Qpu, qpus } from '../api/model/qpus.ts'
import { createResource, type Resource } from '../api/resource.ts'
import { describeChanges } from '../jobs/jobs.ts'
import { type Announcer, createAnnouncer } from './announce.ts'
import { createDialogs, type Dialogs, type ToastTone } from './dialogs.ts'
import { createNotices, type Notices } from './notices.ts'
import { effectiveZone, type Preferences, readPreferences } from './preferences.ts'
import { createRouter, type Router } from './route.ts'
import { readTheme, type Theme } from './theme.ts'

/** Number of the user's jobs on the overview. */
const RECENT_JOBS = 20
/** Fields of the job list; results may be large, so the latest is loaded separately. */
const LISTED_FIELDS =
  'id,name,status,qpu,qpu_target,payload.shots,created,started_at,finished_at,duration,attempt,recalled'
/** Jobs of other users change only queue positions, so a reload every few seconds suffices. */
const QUEUE_SPACING_MS = 3_000

/** State and services shared by all pages. */
export interface App {
  api: Api
  router: Router
  auth: AuthStore
  live: Live
  announcer: Announcer
  theme: Signal<Theme>
  preferences: Signal<Preferences>
  /** IANA name of the zone in which times are shown. */
  zone: ReadonlySignal<string>
  dialogs: Dialogs
  /** Shows a short message; one of tone `bad` stays until it is closed. */
  toast(text: string, tone?: ToastTone): void
  /** Runs what a person wants; a failure is a message, and what it resolves to is whether it succeeded. */
  attempt(work: () => Promise<unknown>): Promise<boolean>
  config: Resource<UiConfig>
  /** Loads the configuration once; resolves also when it cannot be loaded, and names have their defaults. */
  whenConfigured(): Promise<void>
  /** Called when the first page watches its topics; the event stream waits for it. */
  setOpened(): void
  qpus: Resource<Qpu[]>
  /** The user's most recent jobs, newest first; without a value while signed out. */
  jobs: Resource<readonly Job[]>
  notices: Notices
  /** Why the last session ended; empty otherwise. */
  sessionEndedMessage: Signal<string>
  /** The signed-in account. */
  account: ReadonlySignal<Account | undefined>
  superuser: ReadonlySignal<boolean>
  /** The configured name of a collection, for routes of records. */
  named(collection: string): string
  /** Calls `listener` for each job event, and without one when jobs have to be loaded again. */
  watchJobs(listener: LiveListener): () => void
  signOut(): void
}

const Context = createContext<App | undefined>(undefined)
/** Provides the app to the components below. */
export const AppProvider = Context.Provider

/** The app; throws outside of `AppProvider`. */
export function useApp(): App {
  const app = useContext(Context)
  if (!app) throw new TypeError('useApp() outside of AppProvider')
  return app
}

/** Creates the app; it sends no request before `keepCurrent`. */
export function createApp(): App {
  const auth = createAuthStore()
  const sessionEndedMessage = signal('')
  const dialogs = createDialogs()
  const preferences = signal(readPreferences())
  const api = createApi({
    token: () => auth.current.peek()?.token,
    onUnauthorized() {
      sessionEndedMessage.value = 'Your session has ended. Sign in again.'
      auth.set(undefined)
    },
  })
  const announcer = createAnnouncer()
  const config = createResource((abort) => api.get('/api/ui/config', uiConfig, abort))
  const qpuList = createResource((abort) => api.get('/api/qpus', qpus, abort))
  const jobList = createResource<readonly Job[]>(async (abort) => {
    const before = jobList.value.peek()
    const after = await api.get(
      `/api/jobs?limit=${RECENT_JOBS}&sort=-created&fields=${LISTED_FIELDS}`,
      jobs,
      abort,
    )
    const change = before && describeChanges(before, after)
    if (change) announcer.say(change)
    return after
  })

  const onAccountEvent = ({ action, record }: LiveEvent) => {
    const before = auth.current.peek()
    const parsed = v.safeParse(account, record)
    if (before && parsed.success && action === 'update') auth.set({ ...before, record: parsed.output })
  }
  let configured: Promise<void> | undefined
  const whenConfigured = () => {
    if (configured === undefined || config.error.peek()) configured = config.load()
    return configured
  }
  const named = (collection: string) => config.value.peek()?.collections[collection] ?? collection
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<void>()
  const live = createLive({
    join: joinStream,
    current: computed(() => streamLoginOf(auth.current.value)),
    configured: (topic) => topic.replace(/^\w+/, named),
    whenReady: () => Promise.all([whenConfigured(), opened]),
    onSignedOut: () => void renewLogin({ api, auth }),
  })
  const onJobEvent = (event: LiveEvent) => {
    const mine = auth.current.peek()
    const known = jobList.value.peek()
    if (!mine || !known) return
    const owner = event.record['user_id'] ?? event.record['user']
    // A superuser submits through a user account with the same address, whose id is not available here.
    if (isSuperuser(mine) || owner === mine.record.id || known.some(({ id }) => id === event.record.id)) {
      jobList.loadSoon()
    } else if (known.some(({ status }) => status === 'pending')) {
      jobList.loadSoon(QUEUE_SPACING_MS)
    }
  }

  live.watch(['quantum_jobs/*'], onJobEvent)
  live.watch(['qpus/*', 'sessions/*'], () => qpuList.loadSoon())
  watchAccount(auth, live, onAccountEvent)

  const notices = createNotices(api, {
    collection: () => named('notifications'),
    superuser: () =>
      isSuperuser(auth.current.peek()) ? (auth.current.peek()?.record.email ?? '') : undefined,
  })

  return {
    api,
    router: createRouter(),
    auth,
    live,
    announcer,
    theme: signal(readTheme()),
    preferences,
    zone: computed(() => effectiveZone(preferences.value.zone)),
    dialogs,
    toast: dialogs.toast,
    async attempt(work) {
      try {
        await work()
        return true
      } catch (failure) {
        dialogs.toast(asApiError(failure).message, 'bad')
        return false
      }
    },
    config,
    whenConfigured,
    setOpened,
    qpus: qpuList,
    jobs: jobList,
    notices,
    sessionEndedMessage,
    account: computed(() => auth.current.value?.record),
    superuser: computed(() => isSuperuser(auth.current.value)),
    named,
    watchJobs: (listener) => live.watch(['quantum_jobs/*'], listener),
    signOut() {
      sessionEndedMessage.value = ''
      auth.set(undefined)
    },
  }
}

/** Watches the record of the signed-in user, whose balance changes. Superusers have none. */
function watchAccount({ current }: AuthStore, live: Live, listener: LiveListener): void {
  const topic = computed(() => {
    const mine = current.value
    return mine && !isSuperuser(mine) ? `users/${mine.record.id}` : undefined
  })
  effect(() => (topic.value ? live.watch([topic.value], listener) : undefined))
}
