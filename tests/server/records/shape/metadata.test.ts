import { expect, test } from 'bun:test'
import { COLLECTIONS } from '../../../../src/db/index.ts'
import { openTestServer } from '../../../support/server/server.ts'

interface Shown {
  name: string
  listRule: string | null
  fields: { name: string; type: string; collectionId?: string; values?: string[] }[]
}

test('GET /api/collections describes every collection by its declaration and the settings', async () => {
  await using server = await openTestServer({
    settings: { jobsCollection: 'tasks', jobsVisibility: 'owner', allowSignup: 'true' },
  })
  const { body } = await server.admin.get('/api/collections?perPage=100')
  expect(body).toMatchObject({ page: 1, perPage: 100, totalItems: COLLECTIONS.length, totalPages: 1 })
  const items: Shown[] = Object(body).items
  expect(items.map(({ name }) => name)).toContain('tasks')
  const jobs = items.find(({ name }) => name === 'tasks')
  expect(jobs?.listRule).toBe('@request.auth.id != "" && user_id = @request.auth.id')
  expect(jobs?.fields.map(({ name }) => name)).not.toContain('not_before')
  expect(jobs?.fields.find(({ name }) => name === 'status')).toMatchObject({
    ...{ type: 'select', required: true, values: expect.arrayContaining(['pending', 'cancelled']) },
  })
  const users = await server.admin.get('/api/collections/_pb_users_auth_')
  expect(users.body).toMatchObject({ name: 'users', type: 'auth', id: '_pb_users_auth_' })
  expect(users.text('createRule')).not.toContain('oauth2')
  expect(JSON.stringify(users.body)).not.toContain('tokenKey')
  expect(jobs?.fields.find(({ name }) => name === 'user_id')?.collectionId).toBe('_pb_users_auth_')
  const part = await server.admin.get('/api/collections?perPage=2&page=2&fields=name')
  expect(Object(part.body).items).toEqual(
    COLLECTIONS.slice(2, 4).map(({ publicName }) => ({ name: publicName })),
  )
  expect((await server.admin.get('/api/collections/nothing')).text('message')).toBe(
    'Missing collection context.',
  )
})

test('batches and changes of collections are refused', async () => {
  await using server = await openTestServer()
  expect((await server.guest.post('/api/batch', { requests: [] })).body).toMatchObject({
    ...{ status: 403, message: 'Batch requests are not allowed.' },
  })
  expect((await server.admin.patch('/api/collections/users', { listRule: '' })).status).toBe(403)
})
