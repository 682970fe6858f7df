/**
 * Writes pictures of every page of the dashboard, the admin UI and the documentation in light, dark and at
 * phone width: `bun tests/e2e/screenshots.ts [--out FOLDER] [--only jobs] [--role user]`. Starts the built
 * executable with real drivers and the data of several users.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuild } from '../../scripts/ensure-build.ts'
import { findChromium, openBrowser, overflowOf } from './browser.ts'
import { type Address, addressesOf, picturesOf, ROLES, type Role } from './stage/addresses.ts'
import { openStage } from './stage/stage.ts'
import { open, sessionOf, settle } from './stage/visit.ts'

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Plots and maps draw after their data has arrived. */
const DRAWN_MS = 400

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'test-results/screenshots' },
    only: { type: 'string', default: '' },
    role: { type: 'string', default: '' },
  },
})
const chromium = findChromium()
if (!chromium) throw new Error('Screenshots need Chromium: install it, or name it in SVC_CHROMIUM')
await ensureBuild()
await mkdir(values.out, { recursive: true })
const stage = await openStage({ historyHours: 24 })
const browser = await openBrowser(chromium)
const addresses = [...addressesOf(stage), ...picturesOf(stage)].filter(({ name }) =>
  name.includes(values.only),
)
try {
  for (const role of ROLES.filter((one) => one.includes(values.role))) {
    for (const view of ['light', 'dark', '390'] as const) {
      await takePictures(
        role,
        view,
        addresses.filter(({ roles }) => roles.includes(role)),
      )
    }
  }
} finally {
  await browser.close()
  await stage.close()
}

async function takePictures(role: Role, view: 'light' | 'dark' | '390', addresses: Address[]): Promise<void> {
  const context = await browser.newContext({
    ...sessionOf(stage, role),
    baseURL: stage.url,
    viewport: view === '390' ? PHONE : DESKTOP,
    colorScheme: view === 'dark' ? 'dark' : 'light',
    timezoneId: 'Europe/Stockholm',
  })
  const page = await context.newPage()
  let problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  for (const { name, path } of addresses) {
    problems = []
    await open(page, path).catch((error: Error) => problems.push(error.message.split('\n')[0] ?? ''))
    await page.waitForTimeout(DRAWN_MS)
    await settle(page).catch(() => undefined)
    const overflow = await overflowOf(page)
    if (overflow > 0) problems.push(`wider than the window by ${overflow} px`)
    const file = `${name}-${role}-${view}.png`
    await page.evaluate(showAll)
    await page.screenshot({ path: join(values.out, file), fullPage: true })
    console.log(`${file}${problems.length > 0 ? `  ${problems.join('; ')}` : ''}`)
  }
  await context.close()
}

/** Draws the rows outside of the window, which otherwise waits until they are scrolled into it. */
function showAll(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('tr { content-visibility: visible !important }')
  document.adoptedStyleSheets = [sheet]
}
