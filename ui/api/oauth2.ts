import * as v from 'valibot'
import { type Api, ApiError } from './api.ts'

/** What a login at a provider yields: the server exchanges the code. */
interface Authorization {
  provider: string
  code: string
  codeVerifier: string
  redirectURL: string
}

const methods = v.object({
  oauth2: v.object({
    providers: v.array(v.object({ name: v.string(), authURL: v.string(), codeVerifier: v.string() })),
  }),
})
const connected = v.object({ clientId: v.string() })
const outcome = v.object({ code: v.optional(v.string(), ''), error: v.optional(v.string(), '') })

const WINDOW = 'popup,width=520,height=720'
const REDIRECT = '/api/oauth2-redirect'

interface Login {
  /** Public name of the collection of users. */
  collection: string
  provider: string
  signal: AbortSignal
}

/**
 * Lets the user log in at a provider in a window of its own, which has to be opened by a click. The server
 * sends the outcome over an event stream, since the window of another site cannot talk to this page.
 */
export async function authorize(api: Api, login: Login): Promise<Authorization> {
  const popup = window.open('', '_blank', WINDOW)
  if (!popup)
    throw new ApiError(0, 'The browser blocked the login window. Allow pop-up windows for this site')
  const source = new EventSource('/api/realtime')
  try {
    return await exchange(api, login, source, popup)
  } finally {
    source.close()
    popup.close()
  }
}

async function exchange(
  api: Api,
  { collection, provider, signal }: Login,
  source: EventSource,
  popup: Window,
): Promise<Authorization> {
  const { clientId } = v.parse(connected, JSON.parse(await nextEvent(source, 'PB_CONNECT', signal)))
  const answer = nextEvent(source, '@oauth2', signal)
  // The answer is awaited below; an abort before that must not be an unhandled rejection.
  answer.catch(() => undefined)
  const [{ oauth2 }] = await Promise.all([
    api.get(`/api/collections/${collection}/auth-methods`, methods, signal),
    api.send('/api/realtime', { clientId, subscriptions: ['@oauth2'] }),
  ])
  const offer = oauth2.providers.find(({ name }) => name === provider)
  if (!offer) throw new ApiError(404, 'The server no longer offers this login')
  const redirectURL = location.origin + REDIRECT
  popup.location.href = loginAddress(offer.authURL, redirectURL, clientId)
  const { code, error } = v.parse(outcome, JSON.parse(await answer))
  if (error || !code) throw new ApiError(0, refusal(error))
  return { provider, code, codeVerifier: offer.codeVerifier, redirectURL }
}

/** The address of the provider; the server finds the event stream by its id in `state`. */
export function loginAddress(authURL: string, redirectURL: string, clientId: string): string {
  const address = new URL(authURL + encodeURIComponent(redirectURL))
  address.searchParams.set('state', clientId)
  return address.href
}

function refusal(error: string): string {
  if (error === 'access_denied') return 'The login was cancelled at the provider'
  return error ? `The provider refused the login: ${error}` : 'The provider sent no code'
}

function nextEvent(source: EventSource, name: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    source.addEventListener(name, ({ data }) => resolve(String(data)), { once: true })
    source.addEventListener('error', () => reject(new ApiError(0, 'The connection to the server was lost')))
    signal.addEventListener('abort', () => reject(new ApiError(0, 'The login was cancelled')))
  })
}
