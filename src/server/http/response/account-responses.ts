import * as v from 'valibot'
import { ISSUED, superusers, users } from '../../../db/store/accounts/index.ts'
import { described, shape } from '../schema.ts'
import { recordResponse } from './record-response.ts'

/** A user as returned by `presentRecord`. */
export const userResponse = recordResponse('User', users)

/** A superuser as returned by `presentRecord`. */
export const superuserResponse = recordResponse('Superuser', superusers)

/** Number of what an account has given out and is still valid, by kind. */
export const issuedAccess = described(
  shape('IssuedAccess', v.entriesFromList(ISSUED, v.number())),
  'API tokens, secrets of sessions, links to jobs and reports, addresses of the calendar, enabled webhooks, linked accounts at providers',
)

/**
 * Response of a login: the token for `Authorization`, and the account. `title` is its name in the API
 * reference.
 */
export function loginResponse(title: string, record: v.GenericSchema) {
  return shape(title, { token: v.string(), record })
}

const flag = v.object({ enabled: v.boolean(), duration: v.number() })

const offer = v.object({
  name: v.string(),
  displayName: v.string(),
  logo: v.string(),
  state: v.string(),
  authURL: described(v.string(), 'Append the URL-encoded redirect URL'),
  codeVerifier: v.string(),
  codeChallenge: v.string(),
  codeChallengeMethod: v.string(),
})

/** The ways in which accounts can log in. */
export const authMethodsResponse = shape('AuthMethods', {
  password: v.object({ enabled: v.boolean(), identityFields: v.array(v.string()) }),
  oauth2: v.object({ enabled: v.boolean(), providers: v.array(offer) }),
  mfa: flag,
  otp: flag,
})
