import type { Locator, Page } from 'playwright-core'

/** What a task took. */
export interface Effort {
  task: string
  clicks: number
  /** Characters typed in fields. */
  keys: number
  /** Pages opened, the first one not counted. */
  pages: number
}

/** A person with a mouse and a keyboard at an open page, whose effort is counted. */
export class Walk {
  readonly page: Page
  #clicks = 0
  #keys = 0
  #paths: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return
      const { pathname } = new URL(frame.url())
      if (this.#paths.at(-1) !== pathname) this.#paths.push(pathname)
    })
  }

  /** Performs a task and returns what it took. */
  async measure(task: string, run: (walk: this) => Promise<void>): Promise<Effort> {
    this.#clicks = 0
    this.#keys = 0
    this.#paths = this.#paths.slice(-1)
    try {
      await run(this)
    } catch (error) {
      throw new Error(`${task}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
    return { task, clicks: this.#clicks, keys: this.#keys, pages: this.#paths.length - 1 }
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1
    await target.click()
  }

  press(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name }).filter({ visible: true }).first())
  }

  follow(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name }).filter({ visible: true }).first())
  }

  /** Types into a field, which a click reaches first unless it has the focus. */
  async type(label: string | RegExp, text: string): Promise<void> {
    const field = this.page.getByLabel(label).filter({ visible: true }).first()
    await field.waitFor()
    if (!(await field.evaluate((element) => element === document.activeElement))) this.#clicks += 1
    this.#keys += text.length
    await field.fill(text)
  }

  /** Chooses from a list: one click opens it, one chooses. */
  async choose(label: string, value: string): Promise<void> {
    this.#clicks += 2
    await this.page.getByLabel(label, { exact: true }).selectOption(value)
  }

  /** Presses the Enter key in the field that has the focus. */
  enter(): Promise<void> {
    return this.key('Enter')
  }

  /** Presses a key, or several at once such as `Control+k`. */
  async key(name: string): Promise<void> {
    this.#keys += 1
    await this.page.keyboard.press(name)
  }

  /** Waits until the page shows a text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor()
  }
}

/** What tasks took, in Markdown. */
export function table(title: string, efforts: readonly Effort[]): string {
  return [
    `\n| ${title} | clicks | keys typed | pages opened |\n| --- | ---: | ---: | ---: |`,
    ...efforts.map(({ task, clicks, keys, pages }) => `| ${task} | ${clicks} | ${keys} | ${pages} |`),
  ].join('\n')
}
