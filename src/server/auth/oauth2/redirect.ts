import * as v from 'valibot'
import { URL_ENCODED } from '../../http/media.ts'
import { readFormTexts } from '../../http/request/form-body.ts'
import { validate } from '../../http/request/validate.ts'
import { htmlPage } from '../../http/response/html-page.ts'
import { defineRoute, type Route } from '../../http/route.ts'

const MAX_FORM_BYTES = 16 * 1024
const PATH = '/api/oauth2-redirect'

const result = v.object({
  state: v.optional(v.pipe(v.string(), v.maxLength(255)), ''),
  code: v.optional(v.pipe(v.string(), v.maxLength(4_096)), ''),
  error: v.optional(v.pipe(v.string(), v.maxLength(1_000)), ''),
})

/**
 * Sends the outcome of a login to the event stream with this id, if it was opened from the same address and
 * waits for it. False when there is none.
 */
export type ReportLogin = (
  clientId: string,
  address: string,
  outcome: Readonly<Record<string, string>>,
) => boolean

/**
 * The redirect URL of providers: the code goes to the window that began the login, over its event stream, and
 * the current window closes. The code is removed from the address bar before a page is shown.
 */
export function oauth2RedirectRoutes(reportLogin: ReportLogin): Route[] {
  function finish(
    { state, code, error }: v.InferOutput<typeof result>,
    address: string,
    status: 303 | 307,
  ): Response {
    const isReported =
      state !== '' && reportLogin(state, address, { state, code, ...(error === '' ? {} : { error }) })
    const page = isReported && error === '' && code !== '' ? 'done' : 'failed'
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

  return [
    defineRoute({
      method: 'GET',
      path: PATH,
      access: 'public',
      summary: 'Redirect URL for OAuth2 providers',
      query: result,
      statuses: [307, 400],
      run: async (_, { query, address }) => finish(query, address, 307),
    }),
    defineRoute({
      method: 'POST',
      path: PATH,
      access: 'public',
      summary: 'Redirect URL for OAuth2 providers that send a form',
      bodyForms: result,
      bodyMedia: [URL_ENCODED],
      statuses: [303, 400, 413],
      run: async (_, { request, address }) =>
        finish(validate(result, await readFormTexts(request, MAX_FORM_BYTES)), address, 303),
    }),
    pageRoute('done', 'You are logged in', 'You can close this window.'),
    pageRoute('failed', 'The login failed', 'Close this window and try again.'),
  ]
}

function pageRoute(name: string, title: string, text: string): Route {
  return defineRoute({
    method: 'GET',
    path: `${PATH}/${name}`,
    access: 'public',
    summary: `Page of the login window, which closes itself: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    media: 'text/html',
    run: async () => htmlPage({ title, body: `<p>${text}</p>`, script: 'window.close()' }),
  })
}
