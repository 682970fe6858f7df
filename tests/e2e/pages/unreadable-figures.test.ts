import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { damageTable } from '../../support/faults/damage-table.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { openLab } from '../lab.ts'

const chromium = findChromium()

test.skipIf(!chromium)(
  'a figure that cannot be read is named with its reason, and the others stand',
  async () => {
    const lab = await openLab()
    const browser = await openBrowser(chromium ?? '')
    const { token, email } = lab.admin
    const record = { id: 'root', email, collectionName: '_superusers' }
    const session = { name: 'svc.session', value: JSON.stringify({ token, record }) }
    const storageState = { cookies: [], origins: [{ origin: lab.url, localStorage: [session] }] }
    try {
      await damageTable(join(lab.service.folder, 'svc_data/svc.db'), 'mail_items')
      await withPage(browser, { name: 'unreadable', baseURL: lab.url, storageState }, async (page) => {
        await page.goto('/_/')
        const rows = page.getByRole('table', { name: 'State of the service' }).getByRole('row')
        await rows.filter({ hasText: 'Events that wait to be mailed' }).getByText('cannot be read').waitFor()
        expect(await rows.filter({ hasText: 'Memory' }).innerText()).toMatch(/[0-9]\sMiB/)
        const list = page.getByRole('list', { name: 'Figures that cannot be read' })
        expect(await list.innerText()).toMatch(/^svc_mail_items_waiting: The database .* is damaged/)
      })
    } finally {
      await browser.close()
      await lab.close()
    }
  },
)
