import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { shiftDate } from '../../ui/lib/zone.ts'
import { mondayOf, weekOf } from '../../ui/pages/bookings/logic/week.ts'
import {
  accessibilityProblems,
  findChromium,
  openBrowser,
  overflowOf,
  type PageOptions,
  withPage,
} from './browser.ts'
import { type Lab, openLab } from './lab.ts'

const chromium = findChromium()
const HOUR_PX = 38

/** The Monday after next, which is in the future in every zone. */
const MONDAY = shiftDate(mondayOf(new Date().toISOString().slice(0, 10)), 14)
const WEEK = weekOf(MONDAY)
const at = (day: number, hour: number) =>
  new Date(Date.parse(`${shiftDate(MONDAY, day)}T00:00:00Z`) + hour * 3_600_000).toISOString()

describe.skipIf(!chromium)('bookings', () => {
  let browser: Browser
  let lab: Lab
  let other: string

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    const person = { email: 'ferreira@lab.example', username: 'ferreira', password: 'a long password' }
    const body = { ...person, passwordConfirm: person.password }
    other = String((await lab.asAdmin('POST', '/api/collections/users/records', body))['id'])
    await book({ user: other, start_time: at(5, 12), end_time: at(5, 15) })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const book = (body: object) => lab.asAdmin('POST', '/api/bookings', { qpu: 'kelvin', ...body })
  const open = (
    name: string,
    options: Partial<PageOptions>,
    run: (page: Page) => Promise<void>,
    query = `week=${WEEK}&zone=UTC`,
  ) => {
    const session = { token: lab.user.token, record: { id: lab.user.id, collectionName: 'users' } }
    const stored = [{ name: 'svc.session', value: JSON.stringify(session) }]
    const storageState = { cookies: [], origins: [{ origin: lab.url, localStorage: stored }] }
    const shown = { name: `bookings-${name}`, baseURL: lab.url, storageState, ...options }
    return withPage(browser, shown, async (page) => {
      await page.goto(`/bookings?qpu=kelvin&${query}`)
      await page.getByRole('heading', { name: 'Your slots' }).waitFor()
      await run(page)
    })
  }
  /** Scrolls to the morning; returns where an hour of a day is. */
  const places = async (page: Page) => {
    const columns = page.locator('.week-columns')
    await columns.waitFor()
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('.week').evaluate((element, top) => element.scrollTo({ top }), 8 * HOUR_PX)
    const box = await columns.boundingBox()
    if (!box) throw new Error('The week has no columns')
    return (day: number, hour: number) =>
      [box.x + (box.width * (day + 0.5)) / 7, box.y + hour * HOUR_PX] as const
  }
  const boxOf = async (page: Page, name: string) => {
    const box = await page.locator(name).boundingBox()
    if (!box) throw new Error(`${name} is not shown`)
    return box
  }
  const drag = async (page: Page, from: readonly [number, number], to: readonly [number, number]) => {
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 })
    await page.mouse.move(...to, { steps: 3 })
    await page.mouse.up()
  }
  const ownSlots = async () => {
    const path = '/api/collections/time_slots/records?sort=start_time'
    const { body } = await lab.service.call<{ items: { start_time: string; end_time: string }[] }>(
      'GET',
      path,
      {
        token: lab.user.token,
      },
    )
    return body.items.map((slot) => `${slot.start_time.slice(0, 16)} ${slot.end_time.slice(11, 16)}`)
  }
  const stamp = (day: number, hour: number) => at(day, hour).slice(0, 16).replace('T', ' ')

  test('a slot is drawn, moved, resized and cancelled with the mouse; a conflict offers the nearest time', () =>
    open('mouse', { expected: [/status of 400/] }, async (page) => {
      let place = await places(page)
      await drag(page, place(1, 9), place(1, 11.02))
      const draft = page.getByRole('form', { name: 'Draft' })
      await draft.getByRole('button', { name: 'Book' }).click()
      await page.getByText(/^Booked: kelvin/).waitFor()
      const slot = page.getByRole('button', { name: /^Your slot 09:00–11:00/ })
      await slot.waitFor()
      expect(await ownSlots()).toEqual([`${stamp(1, 9)} 11:00`])

      place = await places(page)
      await drag(page, place(1, 10), place(2, 12.01))
      await page.getByText('11:00–13:00').first().waitFor()
      await draft.getByRole('button', { name: 'Change' }).click()
      await page.getByText(/^Changed: kelvin/).waitFor()
      const moved = page.getByRole('button', { name: /^Your slot 11:00–13:00/ })
      await moved.waitFor()
      place = await places(page)
      const box = await moved.boundingBox()
      const bottom = [(box?.x ?? 0) + 40, (box?.y ?? 0) + (box?.height ?? 0) - 3] as const
      await drag(page, bottom, [bottom[0], bottom[1] + HOUR_PX])
      await draft.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('button', { name: /^Your slot 11:00–14:00/ }).waitFor()
      expect(await ownSlots()).toEqual([`${stamp(2, 11)} 14:00`])

      // Names of others are hidden: the slot of another user is "Booked".
      expect(await page.locator('.week').textContent()).not.toContain('ferreira')
      place = await places(page)
      await drag(page, place(5, 11.25), place(5, 13.5))
      await draft.getByText('overlaps with the slot of another user (12:00–15:00)').waitFor()
      await page.getByText('✓ 09:45–12:00').waitFor()
      expect(await draft.getByRole('button', { name: 'Book' }).getAttribute('aria-disabled')).toBe('true')
      await draft.getByRole('button', { name: 'Shorten to 12:00' }).waitFor()
      await draft.getByRole('button', { name: 'Take 09:45–12:00' }).click()
      // Somebody else is faster: the server refuses, and its text is shown.
      await lab.asAdmin('POST', '/api/bookings', {
        qpu: '',
        user: other,
        start_time: at(5, 9),
        end_time: at(5, 10),
      })
      await draft.getByRole('button', { name: 'Book' }).click()
      await draft
        .getByRole('alert')
        .getByText(/overlaps/)
        .waitFor()
      await page.keyboard.press('Escape')

      await page
        .getByRole('button', { name: /^Cancel / })
        .first()
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the slot' }).click()
      await page.getByText('The slot was cancelled.').waitFor()
      expect(await ownSlots()).toEqual([])
    }))

  test('the keyboard alone books a weekly slot and cancels the following ones', () =>
    open('keys', {}, async (page) => {
      await book({ user: lab.user.id, start_time: at(0, 8), end_time: at(0, 9), weeks: 3 })
      const week = page.getByRole('group', { name: /of kelvin/ })
      await page.getByRole('button', { name: /^Your slot 08:00–09:00/ }).waitFor()
      await week.focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      const draft = page.getByRole('form', { name: 'Draft' })
      await draft.getByText(/^1 h 15 min\./).waitFor()
      await page.keyboard.press('Escape')
      expect(await draft.count()).toBe(0)
      await page.keyboard.press('Enter')
      await draft.getByText(/^1 h\./).waitFor()
      await week.focus()
      await page.keyboard.press('Enter')
      await page.getByText(/^Booked: kelvin/).waitFor()
      expect(await ownSlots()).toHaveLength(4)

      await page.goto(`/bookings?qpu=kelvin&week=${WEEK}&zone=UTC`)
      const slot = page.getByRole('button', { name: /^Your slot 08:00–09:00/ })
      await slot.focus()
      await page.keyboard.press('Delete')
      await page.getByRole('radio', { name: 'This and the following ones' }).press('Space')
      await page.getByRole('button', { name: 'Cancel these slots' }).press('Enter')
      await page.getByText('The slot and the following ones were cancelled.').waitFor()
      expect(await ownSlots()).toHaveLength(1)
    }))

  test('a dialog at the slot takes what is drawn, by keys too, with times of 24 hours', () =>
    open('dialog', { viewport: { width: 1360, height: 768 }, locale: 'en-US' }, async (page) => {
      const dialog = page.getByRole('dialog', { name: /^New slot, / })
      const [from, to] = [dialog.getByLabel('From'), dialog.getByLabel('To')]
      for (const day of [0, 6]) {
        const place = await places(page)
        await drag(page, place(day, 15), place(day, 16.02))
        await dialog.getByText('1 h.').waitFor()
        const [beside, drawn, week] = [
          await boxOf(page, '.draft-dialog'),
          await boxOf(page, '.block.draft'),
          await boxOf(page, '.week'),
        ]
        const gap = day === 0 ? beside.x - drawn.x - drawn.width : drawn.x - beside.x - beside.width
        expect(gap).toBeGreaterThanOrEqual(0)
        expect(gap).toBeLessThan(30)
        expect(beside.y).toBeGreaterThanOrEqual(week.y)
        expect(beside.y + beside.height).toBeLessThanOrEqual(week.y + week.height)
        expect([await from.inputValue(), await to.inputValue()]).toEqual(['15:00', '16:00'])
        expect(await accessibilityProblems(page)).toEqual([])
        if (day === 0) await page.keyboard.press('Escape')
      }
      // From the calendar into the fields and on with the keys alone.
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      for (let field = 0; !(await from.evaluate((one) => one === document.activeElement)); field += 1) {
        expect(field).toBeLessThan(5)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.type('2130')
      await page.keyboard.press('Tab')
      await page.keyboard.type('24:00')
      await page.keyboard.press('Tab')
      await dialog.getByText('2 h 30 min.').waitFor()
      await to.press('ArrowDown')
      await dialog.getByText('2 h 15 min.').waitFor()
      await to.press('Enter')
      await page.getByText(/^Booked: kelvin/).waitFor()
      expect(await ownSlots()).toContain(`${stamp(6, 21.5)} 23:45`)
      expect(await page.evaluate(() => document.activeElement?.className)).toBe('week')
    }))

  test('the week after shows the working hours, and a slot is offered in them', () =>
    open('working hours', {}, async (page) => {
      const dialog = page.getByRole('dialog', { name: /^New slot, / })
      await page.locator('.week').evaluate((element) => element.scrollTo({ top: 0 }))
      await page.getByRole('button', { name: 'Next week' }).click()
      await page.waitForFunction(() => document.querySelector('.week')?.scrollTop === 7 * 38)
      await page.getByRole('button', { name: 'Book a slot' }).click()
      await dialog.getByText('1 h.').waitFor()
      expect(await dialog.getByLabel('From').inputValue()).toBe('08:00')
      await page.keyboard.press('Escape')
      expect(await dialog.count()).toBe(0)
    }))

  test('a phone lists the day; a free row is booked', () =>
    open(
      'phone',
      { viewport: { width: 390, height: 844 }, hasTouch: true },
      async (page) => {
        await page.getByText('another user').first().waitFor()
        const free = page.getByRole('button', { name: /^15:00–24:00\s*Free, 9 h/ })
        await free.tap()
        await page.getByRole('form', { name: 'Draft' }).getByRole('button', { name: 'Book' }).tap()
        await page.getByText(/^Booked: kelvin/).waitFor()
        expect(await ownSlots()).toContain(`${stamp(5, 15)} 16:00`)
        expect(await overflowOf(page)).toBe(0)
      },
      `week=${WEEK}&day=${shiftDate(MONDAY, 5)}&zone=UTC`,
    ))

  test('another zone moves the blocks; days of 23 and 25 hours show why; the calendar feed has an address', () =>
    open('zones', {}, async (page) => {
      await page.getByText('12:00–15:00').waitFor()
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
      await page.getByText('21:00–24:00').waitFor()
      await page.goto('/bookings?week=2026-W43&zone=Europe/Stockholm')
      await page.getByText('02:00–03:00 again').waitFor()
      await page.goto('/bookings?week=2027-W12&zone=Europe/Stockholm')
      await page.getByText('02:00–03:00 is skipped').waitFor()
      await page.goto('/bookings?view=day&day=2027-03-28&week=2027-W12&zone=Europe/Stockholm')
      await page.getByRole('heading', { name: 'Sunday 28 March' }).waitFor()
      await page.getByRole('button', { name: 'Create the address' }).click()
      const address = page.getByText(/\/api\/calendar\/[0-9a-f]{64}\.ics/)
      const { pathname } = new URL((await address.textContent()) ?? '')
      expect(await (await fetch(lab.url + pathname)).text()).toStartWith('BEGIN:VCALENDAR')
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('button', { name: 'Revoke the address' }).click()
      await page.getByRole('button', { name: 'Create the address' }).waitFor()
      expect((await fetch(lab.url + pathname)).status).toBe(404)
    }))
})
