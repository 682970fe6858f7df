import type { Browser } from 'playwright-core'

/** ms from the start of the navigation until something is painted. */
export interface Paint {
  /** The first text. */
  text: number
  /** The largest part of the page. */
  largest: number
}

/** Waits for the paint after the one that shows the heading. */
const SETTLE_MS = 300

/** Loads an address in a browser profile without a cache and returns when it was painted. */
export async function measurePaint(browser: Browser, url: string, storage: object): Promise<Paint> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...storage })
  try {
    await context.addInitScript(() => {
      const seen = { text: Number.NaN, largest: Number.NaN }
      Object.assign(window, { seen })
      new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) {
          if (name === 'first-contentful-paint') seen.text = startTime
        }
      }).observe({ type: 'paint', buffered: true })
      new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntries()) seen.largest = startTime
      }).observe({ type: 'largest-contentful-paint', buffered: true })
    })
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'load' })
    await page.waitForFunction(() => Number.isFinite((window as unknown as { seen: Paint }).seen.text))
    await page.waitForTimeout(SETTLE_MS)
    return await page.evaluate(() => (window as unknown as { seen: Paint }).seen)
  } finally {
    await context.close()
  }
}
