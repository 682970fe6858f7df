import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { superusers, users } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { claimDigest, queueAlertMails, queueMailItem } from '../../../src/db/store/mail/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { DigestSender } from '../../../src/server/mail/digest-sender.ts'
import type { Mail } from '../../../src/server/mail/mailer.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

interface Lab extends TestDatabase {
  sender: DigestSender
  mails: Mail[]
  user: string
  /** What the mail server throws, if anything. */
  refuse(error: Error | undefined): void
  report(job: string): Promise<void>
}

const ADA = {
  email: 'ada@example.org',
  verified: true,
  mail_job_after: 1,
  mail_slot_start: true,
  mail_time_request: true,
}

async function openLab({
  mailer = true,
  ...options
}: Partial<typeof ADA> & { mailer?: boolean } = {}): Promise<Lab> {
  const test = await openTestDatabase()
  const { db, clock } = test
  const mails: Mail[] = []
  let refusal: Error | undefined
  const sendNow = async (mail: Mail) => {
    mails.push(mail)
    if (refusal) throw refusal
  }
  const { id: user } = await db.write('user', (tx) => tx.insert(users, { ...ADA, ...options }))
  const sender = new DigestSender({
    ...{ db, clock, log: silentLog, siteName: 'Lab', publicUrl: () => 'https://svc.example.org' },
    mailer: mailer ? { sendNow } : undefined,
  })
  return {
    ...test,
    ...{ sender, mails, user },
    refuse(error) {
      refusal = error
    },
    report: (job) =>
      db.write('event', (tx) =>
        queueMailItem(tx, user, { kind: 'job_ended', detail: { job, status: 'completed', seconds: 90 } }),
      ),
  }
}

const code = (responseCode: number) => Object.assign(new Error(`code ${responseCode}`), { responseCode })

describe('DigestSender', () => {
  test('mails an event at once, and what follows within the minute together', async () => {
    await using lab = await openLab()
    await lab.report('first')
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
    expect(lab.mails[0]).toMatchObject({
      to: 'ada@example.org',
      subject: 'Lab: Job first ended: completed, 90s after its submission',
    })
    for (const job of ['second', 'third']) await lab.report(job)
    await lab.clock.advance(MINUTE - 1)
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
    await lab.clock.advance(1)
    await lab.sender.runOnce()
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(2)
    expect(lab.mails[1]?.subject).toBe('Lab: 2 events')
    expect(lab.mails[1]?.text).toContain('Job second ended')
    expect(lab.mails[1]?.text).toContain('Job third ended')
    expect(lab.mails[1]?.text).not.toContain('first')
  })

  test('leaves no row when everything was sent', async () => {
    await using lab = await openLab()
    await lab.report('first')
    await lab.sender.runOnce()
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    const left = await lab.db.read((tx) => [
      tx.all('SELECT * FROM mail_items'),
      tx.all('SELECT * FROM mail_digests'),
    ])
    expect(left).toEqual([[], []])
  })

  test('repeats a mail that was not accepted, with the same items and Message-ID', async () => {
    await using lab = await openLab()
    await lab.report('first')
    lab.refuse(code(451))
    await lab.sender.runOnce()
    await lab.report('second')
    await lab.clock.advance(MINUTE)
    lab.refuse(undefined)
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(2)
    expect(lab.mails[1]).toEqual(lab.mails[0] ?? expect.unreachable())
    expect(lab.mails[0]?.messageId).toMatch(/^<digest-\d+-[0-9a-z]{15}@svc\.example\.org>$/)
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails[2]?.text).toContain('Job second ended')
    expect(lab.mails[2]?.messageId).not.toBe(lab.mails[0]?.messageId)
  })

  test('repeats a mail that a crash interrupted with the same items and Message-ID', async () => {
    await using lab = await openLab()
    await lab.report('first')
    lab.refuse(new Error('killed'))
    // As a crash leaves it: claimed, and neither finished nor postponed.
    const claimed = await lab.db.write('claim', (tx) => claimDigest(tx, lab.user))
    await lab.report('second')
    lab.refuse(undefined)
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails[0]?.messageId).toContain(`digest-${claimed?.upto}-`)
    expect(lab.mails[0]?.text).not.toContain('second')
  })

  test('sends no further mails of a round after one was not accepted; the others follow', async () => {
    await using lab = await openLab()
    const { id: bob } = await lab.db.write('user', (tx) =>
      tx.insert(users, { ...ADA, email: 'bob@example.org' }),
    )
    await lab.report('first')
    await lab.db.write('event', (tx) =>
      queueMailItem(tx, bob, { kind: 'job_ended', detail: { job: 'b', status: 'failed', seconds: 1 } }),
    )
    lab.refuse(code(421))
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
    lab.refuse(undefined)
    await lab.sender.runOnce()
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(2)
    expect(new Set(lab.mails.map(({ to }) => to)).size).toBe(2)
  })

  test('does not repeat a mail that was refused for good', async () => {
    await using lab = await openLab()
    await lab.report('first')
    lab.refuse(code(550))
    await lab.sender.runOnce()
    await lab.clock.advance(DAY)
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
  })

  test('waits longer after each failure, and discards what is a day old', async () => {
    await using lab = await openLab()
    await lab.report('first')
    lab.refuse(code(451))
    const times: number[] = []
    const begun = lab.clock.now()
    for (let minute = 0; minute <= 24 * 60; minute += 1) {
      const before = lab.mails.length
      await lab.sender.runOnce()
      if (lab.mails.length > before) times.push((lab.clock.now() - begun) / MINUTE)
      await lab.clock.advance(MINUTE)
    }
    expect(times.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123])
    await lab.clock.advance(DAY)
    const sent = lab.mails.length
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(sent)
  })

  test('lists at most 100 events and counts the others', async () => {
    await using lab = await openLab()
    for (let n = 0; n < 103; n += 1) await lab.report(`job${n}`)
    await lab.sender.runOnce()
    expect(lab.mails[0]?.subject).toBe('Lab: 103 events')
    expect(lab.mails[0]?.text).toContain('Job job99 ended')
    expect(lab.mails[0]?.text).not.toContain('Job job100 ended')
    expect(lab.mails[0]?.text).toContain('- 3 further events that are not listed')
  })

  test('mails neither unverified addresses nor disabled users', async () => {
    await using unverified = await openLab({ verified: false })
    await unverified.report('first')
    await unverified.sender.runOnce()
    expect(unverified.mails).toEqual([])
    await using disabled = await openLab()
    await disabled.report('first')
    await disabled.db.write('disable', (tx) => tx.update(users, disabled.user, { disabled: true }))
    await disabled.sender.runOnce()
    expect(disabled.mails).toEqual([])
  })

  test('mails a superuser of each breach at once, and the alerts of the same limit in the following 10 minutes together', async () => {
    await using lab = await openLab()
    const { id } = await lab.db.write('superuser', (tx) =>
      tx.insert(superusers, { email: 'root@example.org', mail_alerts: true }),
    )
    const alert = (text: string, of = 'disk', isBreach = true) =>
      lab.db.write('alert', (tx) => queueAlertMails(tx, { of, isBreach, text }))
    await alert('Disk is\nfull')
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
    expect(lab.mails[0]).toMatchObject({ to: 'root@example.org', subject: 'Lab: Disk is full' })
    expect(lab.mails[0]?.text).toMatch(/Settings → Profile: http\S+\/settings\/profile\n/)
    for (let minute = 0; minute < 9; minute++) {
      await alert(`value ${minute}`)
      await lab.clock.advance(MINUTE)
      await lab.sender.runOnce()
    }
    expect(lab.mails).toHaveLength(1)
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails.map(({ subject }) => subject)).toEqual(['Lab: Disk is full', 'Lab: 9 events'])
    // Another limit does not wait for the window of the first one; its end, and its second breach, do.
    await alert('Root CA expires', 'ca')
    await lab.sender.runOnce()
    await alert('Root CA is renewed', 'ca', false)
    await alert('Root CA expires again', 'ca')
    await lab.sender.runOnce()
    expect(lab.mails.slice(2).map(({ subject }) => subject)).toEqual(['Lab: Root CA expires'])
    await alert('another')
    await lab.db.write('last', (tx) => tx.insert(superusers, { email: 'b@example.org' }))
    await lab.db.write('removal', (tx) => tx.remove(superusers, id))
    const left = 'SELECT "user" FROM mail_items UNION ALL SELECT "user" FROM mail_digests'
    expect(await lab.db.read((tx) => tx.all(left))).toEqual([])
  })

  test('discards everything without a mail server', async () => {
    await using lab = await openLab({ mailer: false })
    await lab.report('first')
    await lab.sender.runOnce()
    expect(await lab.db.read((tx) => tx.all('SELECT * FROM mail_items'))).toEqual([])
  })
})

describe('slots', () => {
  const at = (ms: number) => new Date(ms).toISOString().replace('T', ' ')

  async function book(lab: Lab, fromMs: number, toMs: number): Promise<void> {
    await lab.db.write('book', (tx) => {
      const qpu = tx.findBy(qpus, { name: 'north' }) ?? tx.insert(qpus, { name: 'north' })
      const now = lab.clock.now()
      const times = { start_time: at(now + fromMs), end_time: at(now + toMs) }
      tx.insert(timeSlots, { ...times, booked_by: lab.user, qpu: qpu.id })
    })
  }

  test('are mailed once when they start', async () => {
    await using lab = await openLab()
    await lab.sender.runOnce()
    await book(lab, 2 * MINUTE, 30 * MINUTE)
    await lab.clock.advance(2 * MINUTE - 1)
    await lab.sender.runOnce()
    expect(lab.mails).toEqual([])
    await lab.clock.advance(1)
    await lab.sender.runOnce()
    expect(lab.mails[0]?.subject).toBe('Lab: Your slot on north has started and ends at 2026-01-31 09:30 UTC')
    await lab.clock.advance(5 * MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
  })

  test('that began while the server was stopped are mailed unless they have ended', async () => {
    await using lab = await openLab()
    await lab.sender.runOnce()
    await book(lab, MINUTE, 2 * MINUTE)
    await book(lab, 3 * MINUTE, 60 * MINUTE)
    await lab.clock.advance(10 * MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails).toHaveLength(1)
    expect(lab.mails[0]?.subject).toContain('ends at 2026-01-31 10:00')
  })

  test('are not mailed to users who do not want it, nor twice when the clock is set back', async () => {
    await using lab = await openLab({ mail_slot_start: false })
    await lab.sender.runOnce()
    await book(lab, MINUTE, 20 * MINUTE)
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails).toEqual([])
    await lab.db.write('want', (tx) => tx.update(users, lab.user, { mail_slot_start: true }))
    lab.clock.jump(-MINUTE)
    await lab.sender.runOnce()
    await lab.clock.advance(MINUTE)
    await lab.sender.runOnce()
    expect(lab.mails).toEqual([])
  })
})
