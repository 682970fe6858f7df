import * as v from 'valibot'
import { ISSUED, superusers, users } from '../../../db/store/accounts/index.ts'
import { recordResponse } from './record-response.ts'

/** A user as returned by `presentRecord`. */
export const userResponse = recordResponse('User', users)

/** A superuser as returned by `presentRecord`. */
export const superuserResponse = recordResponse('Superuser', superusers)

/** Number of what an account has given out and is still valid, by kind. */
export const issuedAccess = v.pipe(
  v.object(v.entriesFromList(ISSUED, v.number())),
  v.title('IssuedAccess'),
  v.description(
    'API tokens, secrets of sessions, links to jobs and reports, addresses of the calendar, enabled webhooks, linked accounts at providers',
  ),
)

/**
 * Response of a login: the token for `Authorization`, and the account. `title` is its name in the API
 * reference.
 */
export function loginResponse(title: string, record: v.GenericSchema) {
  return v.pipe(v.object({ token: v.string(), record }), v.title(title))
}

const flag = v.object({ enabled: v.boolean(), duration: v.number() })

const offer = v.object({
  name: v.string(),
  displayName: v.string(),
  logo: v.string(),
  state: v.string(),
  authURL: v.pipe(v.string(), v.description('Append the URL-encoded redirect URL')),
  codeVerifier: v.string(),
  codeChallenge: v.string(),
  codeChallengeMethod: v.string(),
})

/** The ways in which accounts can log in. */
export const authMethodsResponse = v.pipe(
  v.object({
    password: v.object({ enabled: v.boolean(), identityFields: v.array(v.string()) }),
    oauth2: v.object({ enabled: v.boolean(), providers: v.array(offer) }),
    mfa: flag,
    otp: flag,
  }),
  v.title('AuthMethods'),
)
