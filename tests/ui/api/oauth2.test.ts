import { expect, test } from 'bun:test'
import { loginAddress } from '../../../ui/api/oauth2.ts'

test('loginAddress() names where to return and the event stream that waits', () => {
  const offered = 'https://id.example/auth?client_id=svc&state=random&redirect_uri='
  const address = new URL(loginAddress(offered, 'https://lab.example/api/oauth2-redirect', 'stream-1'))
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: 'svc',
    state: 'stream-1',
    redirect_uri: 'https://lab.example/api/oauth2-redirect',
  })
})
