import * as v from 'valibot'
import { type Clock, KIB } from '../../../base/index.ts'
import { URL_ENCODED } from '../../http/media.ts'
import { readFormTexts } from '../../http/request/form-body.ts'
import { validate } from '../../http/request/validate.ts'
import { htmlPage } from '../../http/response/html-page.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { type LoginOutcome, OutcomeSeal } from './sealed-outcome.ts'

const MAX_FORM_BYTES = 16 * KIB
const PATH = '/api/oauth2-redirect'

const result = v.object({
  state: v.optional(v.pipe(v.string(), v.maxLength(255)), ''),
  code: v.optional(v.pipe(v.string(), v.maxLength(4_096)), ''),
  error: v.optional(v.pipe(v.string(), v.maxLength(1_000)), ''),
})
const sealedResult = v.object({ outcome: v.pipe(v.string(), v.maxLength(MAX_FORM_BYTES)) })

/** What waits for the outcome of a login over an event stream, as far as the server can tell. */
export interface LoginAsker {
  /** Origin of the page that has opened the stream; undefined for a program that is not a page. */
  origin: string | undefined
  /** The program as it names itself. */
  userAgent: string
  /** E-mail address of the account that it has signed in with; undefined for none. */
  account: string | undefined
}

/** Passes the outcome of a login to the event stream with the id `state`, opened from the same address. */
export interface LoginRelay {
  /** What waits for the login; undefined when nothing does, or when the server relays no logins. */
  askerOf(state: string, address: string): LoginAsker | undefined
  /** Sends the outcome, once. False when nothing waits for it. */
  reportLogin(state: string, address: string, outcome: Readonly<Record<string, string>>): boolean
}

/**
 * The redirect URL of providers. A login that a page of ours began has left a cookie with its state in this
 * browser: the outcome goes to that page within the browser. Any other login goes to the event stream that
 * waits for it, and a code only after a click on a page that names who asked: the id of a stream in `state`
 * proves nothing about who sent the user to the provider. The code is removed from the address bar before a
 * page is shown.
 */
export function oauth2RedirectRoutes(clock: Clock, relay: LoginRelay): Route[] {
  const outcomes = new OutcomeSeal(clock)

  const showReturn = (ended: LoginOutcome, status: 303 | 307) =>
    redirect(status, `return?outcome=${outcomes.seal(ended)}`)

  function showOutcome(ended: LoginOutcome, { request, address }: { request: Request; address: string }) {
    const { state, code, error } = ended
    if (hasCookie(request, state)) return ownPage(ended)
    const asker = state === '' ? undefined : relay.askerOf(state, address)
    if (!asker) return redirect(303, 'failed')
    if (error === '' && code !== '') return consentPage(asker, outcomes.seal(ended))
    relay.reportLogin(state, address, { state, code, ...(error === '' ? {} : { error }) })
    return redirect(303, 'failed')
  }

  return [
    defineRoute(`GET ${PATH}`, {
      access: 'public',
      summary: 'Redirect URL for OAuth2 providers',
      query: result,
      statuses: [307],
      run: async (_, { query }) => showReturn(query, 307),
    }),
    defineRoute(`POST ${PATH}`, {
      access: 'public',
      summary: 'Redirect URL for OAuth2 providers that send a form',
      bodyForms: result,
      bodyMedia: [URL_ENCODED],
      statuses: [303, 413],
      run: async (_, { request }) =>
        showReturn(validate(result, await readFormTexts(request, MAX_FORM_BYTES)), 303),
    }),
    defineRoute(`GET ${PATH}/return`, {
      access: 'public',
      summary:
        'Page that passes the login to the page that began it, or asks before it goes to another program',
      query: sealedResult,
      statuses: [200, 303],
      media: 'text/html',
      run: async (_, { query, request, address }) => {
        const ended = outcomes.open(query.outcome)
        return ended ? showOutcome(ended, { request, address }) : redirect(303, 'failed')
      },
    }),
    defineRoute(`POST ${PATH}/deliver`, {
      access: 'public',
      summary: 'Deliver a login to the program that waits for it, as the page before it asks',
      bodyForms: sealedResult,
      bodyMedia: [URL_ENCODED],
      statuses: [303, 413],
      run: async (_, { request, address }) => {
        const form = validate(sealedResult, await readFormTexts(request, MAX_FORM_BYTES))
        const ended = outcomes.open(form.outcome)
        const { state = '', code = '' } = ended ?? {}
        const isDelivered = state !== '' && relay.reportLogin(state, address, { state, code })
        return redirect(303, isDelivered ? 'done' : 'failed')
      },
    }),
    pageRoute('done', 'You are logged in', 'You can close this window.'),
    pageRoute('failed', 'The login failed', 'Close this window and try again.'),
  ]
}

function redirect(status: 303 | 307, page: string): Response {
  return new Response(null, {
    status,
    headers: {
      location: `${PATH}/${page}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** Name of the cookie of a login; `ui/api/oauth2.ts` sets it. */
const cookieOf = (state: string) => `svc_login_${state}`

/** Whether the login with this state began on a page of ours in the same browser. */
function hasCookie(request: Request, state: string): boolean {
  if (!/^[\w-]{20,128}$/.test(state)) return false
  return new Bun.CookieMap(request.headers.get('cookie') ?? '').has(cookieOf(state))
}

/** Passes the outcome to the page of ours that waits for it in this browser; no other origin receives it. */
function ownPage(ended: LoginOutcome): Response {
  const isDone = ended.error === '' && ended.code !== ''
  const message = JSON.stringify(ended).replaceAll('<', '\\u003c')
  const response = htmlPage({
    title: isDone ? 'You are logged in' : 'The login failed',
    body: '<p>You can close this window.</p>',
    script: `const c=new BroadcastChannel("svc-oauth2");c.postMessage(${message});c.close();window.close()`,
  })
  response.headers.append('set-cookie', `${cookieOf(ended.state)}=; Path=${PATH}; Max-Age=0; SameSite=Lax`)
  return response
}

function consentPage({ origin, userAgent, account }: LoginAsker, sealed: string): Response {
  const rows: [string, string][] = [
    ['Page', origin ?? 'none: a program outside of a browser'],
    ['Program', userAgent === '' ? 'does not name itself' : userAgent.slice(0, 200)],
    ['Signed in as', account ?? 'nobody'],
  ]
  const list = rows
    .map(([name, value]) => `<p>${name}: <b><bdi>${Bun.escapeHTML(value)}</bdi></b></p>`)
    .join('')
  return htmlPage({
    title: 'Pass on this login?',
    body: `<p>A program that is connected from your network address asks for the login that you have just completed. It can then act as you.</p>
${list}
<p>Continue only if you began this login there yourself. Otherwise close this window: nothing has been passed on.</p>
<form method="post" action="${PATH}/deliver"><input type="hidden" name="outcome" value="${sealed}"><button>Continue</button></form>`,
  })
}

function pageRoute(name: string, title: string, text: string): Route {
  return defineRoute(`GET ${PATH}/${name}`, {
    access: 'public',
    summary: `Page of the login window, which closes itself: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    media: 'text/html',
    run: async () => htmlPage({ title, body: `<p>${text}</p>`, script: 'window.close()' }),
  })
}
