import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import * as v from 'valibot'
import { type Api, createApi } from '../api/api.ts'
import { type AuthStore, createAuthStore, isSuperuser } from '../api/auth.ts'
import { createLive, type Live } from '../api/live.ts'
import {
  type Account,
  type Auth,
  type Availability,
  account,
  availability,
  type Job,
  jobs,
  type LiveEvent,
  type Qpu,
  qpus,
  type UiConfig,
  uiConfig,
} from '../api/model.ts'
import { createResource, type Resource } from '../api/resource.ts'
import { describeChanges } from '../jobs/jobs.ts'
import { type Announcer, createAnnouncer } from './announce.ts'
import { createRouter, type Router } from './route.ts'
import { readTheme, type Theme } from './theme.ts'

/** Number of the user's jobs on the overview. */
const RECENT_JOBS = 20
/** Fields of the job list; results may be large, so the latest is loaded separately. */
const LISTED_FIELDS = 'id,status,qpu_target,payload.shots,created,started_at,finished_at,duration,attempt'
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
  config: Resource<UiConfig>
  qpus: Resource<Qpu[]>
  availability: Resource<Availability>
  /** The user's most recent jobs, newest first; without a value while signed out. */
  jobs: Resource<readonly Job[]>
  /** Why the last session ended; empty otherwise. */
  sessionEndedMessage: Signal<string>
  /**
   * Calls `listener` for each job event, and without an event after a reconnect. Returns an unsubscribe
   * function.
   */
  watchJobs(listener: (event?: LiveEvent) => void): () => void
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
  const listeners = new Set<(event?: LiveEvent) => void>()
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
  const availabilityResource = createResource((abort) =>
    api.get('/api/op/qpus/availability', availability, abort),
  )
  const jobList = createResource<readonly Job[]>(async (abort) => {
    const before = jobList.value.peek()
    const after = await api.get(
      `/api/jobs?limit=${RECENT_JOBS}&sort=-created&fields=${LISTED_FIELDS}`,
      jobs,
      abort,
    )
    const change = before && describeChanges(before, after)
    if (change) {
      announcer.say(change)
      if (live.state.peek() !== 'live') void readAccount()
    }
    return after
  })

  /**
   * Loads the signed-in account, whose balance changes; while the stream is live, its topic reports changes.
   */
  const readAccount = async () => {
    const before = auth.current.peek()
    if (!before || isSuperuser(before)) return
    const { collectionName, id } = before.record
    try {
      keepAccount(before, await api.get(`/api/collections/${collectionName}/records/${id}`, account))
    } catch {
      // The balance is read again at the next change or page load.
    }
  }
  const keepAccount = (before: Auth, record: Account) => {
    if (auth.current.peek()?.token === before.token) auth.set({ ...before, record })
  }
  const onAccountEvent = ({ action, record }: LiveEvent) => {
    const before = auth.current.peek()
    const parsed = v.safeParse(account, record)
    if (before && parsed.success && action === 'update') keepAccount(before, parsed.output)
  }
  const currentTopics = () => topicsOf(config.value.peek(), auth.current.peek())

  const live = createLive({
    topics: () => Object.values(currentTopics()).filter((topic) => topic !== undefined),
    subscribe: (clientId, subscriptions) => api.send('/api/realtime', { clientId, subscriptions }),
    onEvent(topic, event) {
      const { jobs: jobTopic, account: accountTopic } = currentTopics()
      if (topic === jobTopic) onJobEvent(event)
      else if (topic === accountTopic) onAccountEvent(event)
      else readQpus()
    },
    onReady() {
      if (!config.value.peek()) void config.load()
      readQpus()
      if (auth.current.peek()) void jobList.load()
      void readAccount()
      for (const listener of listeners) listener()
    },
  })
  const readQpus = () => {
    qpuList.loadSoon()
    availabilityResource.loadSoon()
  }
  const onJobEvent = (event: LiveEvent) => {
    for (const listener of listeners) listener(event)
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

  return {
    api,
    router: createRouter(),
    auth,
    live,
    announcer,
    theme: signal(readTheme()),
    config,
    qpus: qpuList,
    availability: availabilityResource,
    jobs: jobList,
    sessionEndedMessage,
    watchJobs(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    signOut() {
      sessionEndedMessage.value = ''
      auth.set(undefined)
    },
  }
}

/** Topics of the event stream; uses the default collection names until the configuration has loaded. */
function topicsOf(config: UiConfig | undefined, auth: Auth | undefined) {
  const named = (collection: string) => config?.collections[collection] ?? collection
  // Superusers have no balance.
  const mine = isSuperuser(auth) ? undefined : auth?.record
  return {
    jobs: `${named('quantum_jobs')}/*`,
    qpus: `${named('qpus')}/*`,
    account: mine && `${mine.collectionName}/${mine.id}`,
  }
}
