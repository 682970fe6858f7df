import { expect, test } from 'bun:test'
import { loginCookie } from '../../../ui/api/oauth2.ts'

test('loginCookie() binds a login to the browser: only the redirect URL of this site receives it', () => {
  expect(loginCookie('abc', false)).toBe(
    'svc_login_abc=1; Path=/api/oauth2-redirect; Max-Age=600; SameSite=Lax',
  )
  expect(loginCookie('abc', true)).toEndWith('; SameSite=Lax; Secure')
})
