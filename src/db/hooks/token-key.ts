import { newSecret } from '../../base/index.ts'

interface Credentials {
  email: string
  password: string
  tokenKey: string
}

/** Ends all logins and links of an account whose password or e-mail address changes: they are signed with its key. */
export function renewTokenKey(before: Credentials, after: Credentials): void {
  if (before.email === after.email && before.password === after.password) return
  if (before.tokenKey === after.tokenKey) after.tokenKey = newSecret()
}
