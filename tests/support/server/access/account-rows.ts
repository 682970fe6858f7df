import { all, fresh, PUBLIC, type Row, type Statuses, SUPERUSER } from './row.ts'

const wrongPassword = () => ({ body: { identity: fresh('nobody'), password: 'wrong password' } })
const BAD_TOKEN = { token: 'none', password: 'some password', passwordConfirm: 'some password' }

/** Routes of both kinds of account. Anybody can request links, which are valid only with their token. */
export function accountRows(collection: 'users' | '_superusers'): Row[] {
  const route = (name: string) => `POST /api/collections/${collection}/${name}`
  const mine: Statuses = collection === 'users' ? [401, 204, 204, 403, 403] : [401, 403, 403, 403, 204]
  const body = (value: object) => () => ({ body: value })
  return [
    { route: `GET /api/collections/${collection}/auth-methods`, statuses: PUBLIC },
    { route: route('auth-with-password'), statuses: all(400), call: wrongPassword },
    {
      route: route('request-password-reset'),
      statuses: all(204),
      call: body({ email: 'nobody@example.org' }),
    },
    { route: route('request-otp'), statuses: all(403) },
    { route: route('auth-with-otp'), statuses: all(403) },
    { route: route('confirm-password-reset'), statuses: all(400), call: body(BAD_TOKEN) },
    { route: route('request-verification'), statuses: all(204), call: body({ email: 'nobody@example.org' }) },
    { route: route('confirm-verification'), statuses: all(400), call: body(BAD_TOKEN) },
    { route: route('request-email-change'), statuses: mine, call: body({ newEmail: 'nobody@example.org' }) },
    { route: route('confirm-email-change'), statuses: all(400), call: body(BAD_TOKEN) },
    {
      route: route('impersonate/:id'),
      statuses: SUPERUSER,
      call: ({ owner, server }) => ({
        path: `/api/collections/${collection}/impersonate/${collection === 'users' ? owner.id : server.superuser.id}`,
      }),
    },
  ]
}
