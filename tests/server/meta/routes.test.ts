import { expect, test } from 'bun:test'
import { openTestServer } from '../../support/server/server.ts'

test('GET /api/ui/config returns the configuration of the pages before login and no secret', async () => {
  const provider = { name: 'google', clientId: 'lab', clientSecret: 'kept to itself' }
  await using server = await openTestServer({
    settings: {
      siteName: 'Kelvin Lab',
      jobsCollection: 'work',
      allowSignup: 'true',
      oauth2Providers: JSON.stringify([provider]),
    },
  })
  const { body } = await server.guest.get('/api/ui/config')
  expect(body).toMatchObject({
    name: 'Kelvin Lab',
    version: '2026.1.0-test',
    passwordLogin: true,
    oauth2: [{ name: 'google', displayName: 'Google' }],
    allowSignup: true,
    hasSuperuser: true,
    booking: { idle_seconds: 5, max_length_seconds: 86_400, max_ahead_seconds: 5_184_000 },
    collections: { quantum_jobs: 'work', qpus: 'qpus', superusers: '_superusers', users: 'users' },
  })
  expect(JSON.stringify(body)).not.toMatch(/kept to itself|clientId/)
})

test('without password login there is no sign-up either', async () => {
  await using server = await openTestServer({
    settings: { allowSignup: 'true', disableEmailPasswordAuth: 'true' },
  })
  expect((await server.guest.get('/api/ui/config')).body).toMatchObject({
    passwordLogin: false,
    oauth2: [],
    allowSignup: false,
  })
})
