import { newSecret } from '../../base/index.ts'

interface Credentials {
  email: string
  password: string
  tokenKey: string
}

/**
 * Invalidates all sessions and links of an account whose password or e-mail address changes, since its key
 * signs them.
 */
export function renewTokenKey(before: Credentials, after: Credentials): void {
  if (before.email === after.email && before.password === after.password) return
  if (before.tokenKey === after.tokenKey) after.tokenKey = newSecret()
}
