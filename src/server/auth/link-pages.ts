import * as v from 'valibot'
import { AppError, KIB } from '../../base/index.ts'
import { URL_ENCODED } from '../http/media.ts'
import { readFormTexts } from '../http/request/form-body.ts'
import { htmlPage } from '../http/response/html-page.ts'
import { defineRoute, type Route, type RouteRequest } from '../http/route.ts'
import { type Client, clientOf } from './access-audit.ts'
import { LINK_PATHS } from './account-links.ts'
import type { Confirmations } from './confirm.ts'
import type { LinkPurpose } from './jwt.ts'

const MAX_FORM_BYTES = 16 * KIB

interface LinkPage {
  title: string
  /** Markup of the form fields. */
  fields: string
  button: string
  done: string
  confirm(
    confirmations: Confirmations,
    given: { token: string; password: string; passwordConfirm: string },
    client: Client,
  ): Promise<void>
}

const NEW_PASSWORD = `<label>New password (at least 8 characters)
<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="71" required></label>
<label>Repeat the password
<input type="password" name="passwordConfirm" autocomplete="new-password" required></label>`

const OWN_PASSWORD = `<label>Your password
<input type="password" name="password" autocomplete="current-password" required></label>`

const PAGES: Record<LinkPurpose, LinkPage> = {
  verification: {
    title: 'Confirm your e-mail address',
    fields: '<p>Confirm that this is your e-mail address.</p>',
    button: 'Confirm',
    done: 'Your e-mail address is confirmed.',
    confirm: (confirmations, { token }) => confirmations.verification({ token }),
  },
  passwordReset: {
    title: 'Choose a new password',
    fields: NEW_PASSWORD,
    button: 'Set password',
    done: 'Your new password is set. All previous logins have ended; log in with the new password.',
    confirm: (confirmations, given) => confirmations.passwordReset(given),
  },
  emailChange: {
    title: 'Confirm your new e-mail address',
    fields: OWN_PASSWORD,
    button: 'Confirm',
    done: 'Your e-mail address is changed. All previous logins have ended; log in with the new address.',
    confirm: (confirmations, given, client) => confirmations.emailChange(given, client),
  },
}

const text = v.optional(v.string())
const sent = v.object({ token: v.string(), password: text, passwordConfirm: text })

const query = v.object({ token: v.optional(v.pipe(v.string(), v.maxLength(4_096)), '') })

/**
 * The pages that mailed links open. They work without the dashboard and without scripts. Opening a page
 * changes nothing, because mail scanners open links too.
 */
export function linkPages(confirmations: Confirmations): Route[] {
  return Object.entries(PAGES).flatMap(([purpose, page]) => {
    const path = LINK_PATHS[purpose as LinkPurpose]
    return [
      defineRoute(`GET ${path}`, {
        access: 'public',
        summary: `Page of a mailed link: ${page.title.charAt(0).toLowerCase()}${page.title.slice(1)}`,
        query,
        media: 'text/html',
        run: async (_, { query }) => form(page, query.token),
      }),
      defineRoute(`POST ${path}`, {
        access: 'public',
        summary: `Submit the page of a mailed link: ${page.title.charAt(0).toLowerCase()}${page.title.slice(1)}`,
        bodyForms: sent,
        bodyMedia: [URL_ENCODED],
        media: 'text/html',
        statuses: [200, 413],
        run: (_, request) => submitForm(page, confirmations, request),
      }),
    ]
  })
}

async function submitForm(
  page: LinkPage,
  confirmations: Confirmations,
  call: RouteRequest<unknown, unknown>,
): Promise<Response> {
  const sent = await readFormTexts(call.request, MAX_FORM_BYTES)
  const { token = '', password = '', passwordConfirm = '' } = sent
  try {
    await page.confirm(confirmations, { token, password, passwordConfirm }, clientOf(call))
    return htmlPage({ title: page.title, body: `<p>${page.done}</p>` })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    const reasons = Object.values(error.fields).map(({ message }) => message)
    return form(page, token, reasons.join(' ') || error.message)
  }
}

function form({ title, fields, button }: LinkPage, token: string, problem?: string): Response {
  const reason = problem === undefined ? '' : `<p role="alert">${Bun.escapeHTML(problem)}</p>`
  const body = `${reason}<form method="post"><input type="hidden" name="token" value="${Bun.escapeHTML(token)}">${fields}<button>${button}</button></form>`
  return htmlPage({ title, body, status: problem === undefined ? 200 : 400 })
}
