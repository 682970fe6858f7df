import * as v from 'valibot'
import { superusers, users } from '../../../db/index.ts'
import { recordResponse } from './record-response.ts'

/** A user as `presentRecord` shows it. */
export const userResponse = recordResponse('User', users)

/** A superuser as `presentRecord` shows it. */
export const superuserResponse = recordResponse('Superuser', superusers)

/** What a login gives: the token for `Authorization`, and the account. */
export function loginResponse(record: v.GenericSchema) {
  return v.object({ token: v.string(), record })
}

const flag = v.object({ enabled: v.boolean(), duration: v.number() })

const offer = v.object({
  name: v.string(),
  displayName: v.string(),
  logo: v.string(),
  state: v.string(),
  authURL: v.pipe(v.string(), v.description('To be completed by the URL-encoded address to come back to')),
  codeVerifier: v.string(),
  codeChallenge: v.string(),
  codeChallengeMethod: v.string(),
})

/** How accounts can log in. */
export const authMethodsResponse = v.pipe(
  v.object({
    password: v.object({ enabled: v.boolean(), identityFields: v.array(v.string()) }),
    oauth2: v.object({ enabled: v.boolean(), providers: v.array(offer) }),
    mfa: flag,
    otp: flag,
  }),
  v.title('AuthMethods'),
)
