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
    providers: v.array(
      v.object({ name: v.string(), state: v.string(), authURL: v.string(), codeVerifier: v.string() }),
    ),
  }),
})
const outcome = v.object({ state: v.string(), code: v.string(), error: v.string() })
type Outcome = v.InferOutput<typeof outcome>

const WINDOW = 'popup,width=520,height=720'
const REDIRECT = '/api/oauth2-redirect'
const COOKIE_SECONDS = 600

interface Login {
  /** Public name of the collection of users. */
  collection: string
  provider: string
  signal: AbortSignal
}

/**
 * Lets the user log in at a provider in a window of its own, which has to be opened by a click. A cookie
 * binds the login to this browser: the server gives the outcome only to a window that returns with it, and
 * that window passes it to this page within the browser.
 */
export async function authorize(api: Api, login: Login): Promise<Authorization> {
  const popup = window.open('', '_blank', WINDOW)
  if (!popup)
    throw new ApiError(0, 'The browser blocked the login window. Allow pop-up windows for this site')
  const channel = new BroadcastChannel('svc-oauth2')
  try {
    return await exchange(api, login, channel, popup)
  } finally {
    channel.close()
    popup.close()
  }
}

async function exchange(
  api: Api,
  { collection, provider, signal }: Login,
  channel: BroadcastChannel,
  popup: Window,
): Promise<Authorization> {
  const { oauth2 } = await api.get(`/api/collections/${collection}/auth-methods`, methods, signal)
  const offer = oauth2.providers.find(({ name }) => name === provider)
  if (!offer) throw new ApiError(404, 'The server no longer offers this login')
  const redirectURL = location.origin + REDIRECT
  // biome-ignore lint/suspicious/noDocumentCookie: the alternative is absent from browsers that we support.
  document.cookie = loginCookie(offer.state, location.protocol === 'https:')
  const answer = outcomeOf(offer.state, channel, signal)
  popup.location.href = offer.authURL + encodeURIComponent(redirectURL)
  const { code, error } = await answer
  if (error || !code) throw new ApiError(0, refusal(error))
  return { provider, code, codeVerifier: offer.codeVerifier, redirectURL }
}

/** The cookie by which the redirect URL recognizes a login of this browser. */
export function loginCookie(state: string, isSecure: boolean): string {
  const attributes = `Path=${REDIRECT}; Max-Age=${COOKIE_SECONDS}; SameSite=Lax`
  return `svc_login_${state}=1; ${attributes}${isSecure ? '; Secure' : ''}`
}

function refusal(error: string): string {
  if (error === 'access_denied') return 'The login was cancelled at the provider'
  return error ? `The provider refused the login: ${error}` : 'The provider sent no code'
}

/** The outcome of the login with this state; other pages of this browser may log in at the same time. */
function outcomeOf(state: string, channel: BroadcastChannel, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    channel.addEventListener('message', ({ data }) => {
      const read = v.safeParse(outcome, data)
      if (read.success && read.output.state === state) resolve(read.output)
    })
    signal.addEventListener('abort', () => reject(new ApiError(0, 'The login was cancelled')))
  })
}
