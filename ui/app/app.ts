import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import * as v from 'valibot'
import { type Api, createApi } from '../api/api.ts'
import { createLive, type Live } from '../api/live.ts'
import {
  type Account,
  type Availability,
  account,
  availability,
  type Job,
  jobs,
  type LiveEvent,
  type Qpu,
  qpus,
  type Session,
  type UiConfig,
  uiConfig,
} from '../api/model.ts'
import { createResource, type Resource } from '../api/resource.ts'
import { createSession, isSuperuser, type SessionStore } from '../api/session.ts'
import { describeChanges } from '../jobs/jobs.ts'
import { type Announcer, createAnnouncer } from './announce.ts'
import { createRouter, type Router } from './route.ts'
import { readTheme, type Theme } from './theme.ts'

/** How many of one's jobs the overview shows. */
const RECENT_JOBS = 20
/** What the list of jobs shows; results may be large, and the latest one is read by itself. */
const LISTED_FIELDS = 'id,status,qpu_target,payload.shots,created,started_at,finished_at,duration,attempt'
/** Other people's jobs only move one's place in the queue: reading every few seconds is soon enough. */
const QUEUE_SPACING_MS = 3_000

/** Everything the pages share. */
export interface App {
  api: Api
  router: Router
  session: SessionStore
  live: Live
  announcer: Announcer
  theme: Signal<Theme>
  config: Resource<UiConfig>
  qpus: Resource<Qpu[]>
  availability: Resource<Availability>
  /** One's newest jobs, newest first; without a value while nobody is signed in. */
  jobs: Resource<readonly Job[]>
  /** Why the last session ended; empty otherwise. */
  sessionEndedMessage: Signal<string>
  /** Calls back on each change of a job, and without an event when anything may have changed. Returns how to stop. */
  watchJobs(listener: (event?: LiveEvent) => void): () => void
  signOut(): void
}

const Context = createContext<App | undefined>(undefined)
/** Hands the app to the components below. */
export const AppProvider = Context.Provider

/** The app; throws outside of `AppProvider`. */
export function useApp(): App {
  const app = useContext(Context)
  if (!app) throw new TypeError('useApp() outside of AppProvider')
  return app
}

/** Makes the app; nothing is read from the server before `keepCurrent`. */
export function createApp(): App {
  const session = createSession()
  const sessionEndedMessage = signal('')
  const listeners = new Set<(event?: LiveEvent) => void>()
  const api = createApi({
    token: () => session.current.peek()?.token,
    onUnauthorized() {
      sessionEndedMessage.value = 'Your session has ended. Sign in again.'
      session.set(undefined)
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

  /** Reads the own account, whose balance jobs and administrators change; its topic tells of that while it is live. */
  const readAccount = async () => {
    const before = session.current.peek()
    if (!before || isSuperuser(before)) return
    const { collectionName, id } = before.record
    try {
      keepAccount(before, await api.get(`/api/collections/${collectionName}/records/${id}`, account))
    } catch {
      // It is shown with the next change, or when the page is opened again.
    }
  }
  const keepAccount = (before: Session, record: Account) => {
    if (session.current.peek()?.token === before.token) session.set({ ...before, record })
  }
  const onAccountEvent = ({ action, record }: LiveEvent) => {
    const before = session.current.peek()
    const parsed = v.safeParse(account, record)
    if (before && parsed.success && action === 'update') keepAccount(before, parsed.output)
  }
  const currentTopics = () => topicsOf(config.value.peek(), session.current.peek())

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
      if (session.current.peek()) void jobList.load()
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
    const mine = session.current.peek()
    const known = jobList.value.peek()
    if (!mine || !known) return
    const owner = event.record['user_id'] ?? event.record['user']
    // A superuser submits under a user of the same address, whose id this page does not know.
    if (isSuperuser(mine) || owner === mine.record.id || known.some(({ id }) => id === event.record.id)) {
      jobList.loadSoon()
    } else if (known.some(({ status }) => status === 'pending')) {
      jobList.loadSoon(QUEUE_SPACING_MS)
    }
  }

  return {
    api,
    router: createRouter(),
    session,
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
      session.set(undefined)
    },
  }
}

/** Topics of the event stream; the default names hold until the server has told its own. */
function topicsOf(config: UiConfig | undefined, session: Session | undefined) {
  const named = (collection: string) => config?.collections[collection] ?? collection
  // Superusers have no balance.
  const mine = isSuperuser(session) ? undefined : session?.record
  return {
    jobs: `${named('quantum_jobs')}/*`,
    qpus: `${named('qpus')}/*`,
    account: mine && `${mine.collectionName}/${mine.id}`,
  }
}
