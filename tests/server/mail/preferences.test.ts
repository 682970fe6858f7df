import { describe, expect, test } from 'bun:test'
import { openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'
import { type MailSink, openMailSink } from '../../support/server/smtp.ts'
import { until } from '../../support/until.ts'

const RECORDS = '/api/collections/users/records'
const EVERYTHING = { mail_job_after: 1, mail_slot_start: true, mail_time_request: true }

interface Lab extends AsyncDisposable {
  server: TestServer
  sink: MailSink
  user: TestAccount
}

async function openLab(): Promise<Lab> {
  const sink = await openMailSink()
  const server = await openTestServer({ settings: { ...sink.settings, siteName: 'Lab' } })
  return {
    ...{ server, sink, user: await server.createUser() },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
    },
  }
}

/** Requests QPU time and decides the request. */
async function decide({ server, user }: Lab, decision: object): Promise<void> {
  const path = '/api/collections/qpu_time_requests/records'
  const id = (await server.as(user).post(path, { seconds: 90, requested_reason: 'thesis' })).text('id')
  expect((await server.admin.patch(`${path}/${id}`, decision)).status).toBe(200)
}

const waiting = ({ server }: Lab) => server.db.read((tx) => tx.all('SELECT * FROM mail_items').length)

describe('mail preferences', () => {
  test('are off for a new account, which is mailed nothing', async () => {
    await using lab = await openLab()
    const record = await lab.server.as(lab.user).get(`${RECORDS}/${lab.user.id}`)
    expect(record.body).toMatchObject({ mail_job_after: 0, mail_slot_start: false, mail_time_request: false })
    await decide(lab, { status: 'approved' })
    expect(await waiting(lab)).toBe(0)
  })

  test('belong to the user: others cannot change them', async () => {
    await using lab = await openLab()
    const { server, user } = lab
    const path = `${RECORDS}/${user.id}`
    const other = server.as(await server.createUser())
    expect((await other.patch(path, EVERYTHING)).status).toBe(404)
    expect((await server.guest.patch(path, EVERYTHING)).status).toBe(404)
    expect((await server.as(user).patch(path, EVERYTHING)).body).toMatchObject(EVERYTHING)
    for (const mail_job_after of [-1, 1.5, 31_536_001]) {
      const refused = await server.as(user).patch(path, { mail_job_after })
      expect([mail_job_after, refused.status]).toEqual([mail_job_after, 400])
      expect(Object.keys(Object(refused.get('data')))).toEqual(['mail_job_after'])
    }
  })

  test('of alerts belong to superusers, and no account takes the id of one', async () => {
    await using lab = await openLab()
    const { server, user } = lab
    const [root] = await server.db.read((tx) => tx.all<{ id: string }>('SELECT id FROM superusers'))
    const path = `/api/collections/_superusers/records/${root?.id}`
    expect((await server.as(user).patch(path, { mail_alerts: true })).status).toBe(403)
    expect((await server.admin.patch(path, { mail_alerts: true })).body).toMatchObject({ mail_alerts: true })
    expect((await server.admin.get('/api/me')).body).toMatchObject({ account: { mail_alerts: true } })
    const password = 'correct horse battery'
    const taken = { id: root?.id, email: 'eve@example.org', password, passwordConfirm: password }
    const refused = await server.admin.post(RECORDS, taken)
    expect(refused.status).toBe(400)
    expect(Object.keys(Object(refused.get('data')))).toEqual(['id'])
  })

  test('a decided request for QPU time and a started slot are mailed', async () => {
    await using lab = await openLab()
    const { server, sink, user } = lab
    await server.as(user).patch(`${RECORDS}/${user.id}`, EVERYTHING)
    await decide(lab, { status: 'rejected', rejection_reason: 'too\nmuch' })
    const { to, head, text } = await sink.mail()
    expect(to).toEqual([user.email])
    expect(head).toContain('Subject: Lab: Your request for 90 s of QPU time was rejected: too much')
    expect(text).toContain('Settings → Profile: http')
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const slot = { start_time: at(1_000), end_time: at(3_600_000) }
    expect((await server.as(user).post('/api/collections/time_slots/records', slot)).status).toBe(200)
    // Its mail waits until a minute after the first one.
    await until('the slot to be announced', async () => (await waiting(lab)) === 1)
    expect(sink.mails).toHaveLength(1)
    await server.admin.call('DELETE', `${RECORDS}/${user.id}`)
    const left = await server.db.read((tx) => [
      tx.all('SELECT * FROM mail_items'),
      tx.all('SELECT * FROM mail_digests'),
    ])
    expect(left).toEqual([[], []])
  })
})
