/**
 * Time after which a server from which a page never had a response is taken for one that does not allow its
 * origin.
 */
const SILENT_MS = 5_000

/** The addresses of a server, of which one is in use until it does not respond or does not lead. */
export class Addresses {
  readonly #all: readonly string[]
  #at = 0
  /** Those to which a connection was established. */
  readonly #reached = new Set<string>()
  /** Those that never were, because no server has the name or its certificate is not trusted. */
  readonly #wrong = new Set<string>()
  /** When a page of another origin first had no response, in ms since 1970. */
  readonly #silentSince = new Map<string, number>()

  /**
   * @param given One address, or several, as a list or separated by commas.
   * @throws TypeError without an address, or for one that is no HTTP URL.
   */
  constructor(given: string | readonly string[] | undefined) {
    const list = given ?? ''
    const addresses = (typeof list === 'string' ? list.split(',') : list)
      .map((address) => address.trim().replace(/\/+$/, ''))
      .filter((address) => address !== '')
    if (addresses.length === 0)
      throw new TypeError('No address of a server; pass baseUrl, set SVC_ADDR, or run: svc login ADDRESS')
    for (const address of addresses) {
      const isUrl = /^https?:\/\//.test(address) && URL.canParse(address)
      if (!isUrl) throw new TypeError(`The address "${address}" is no URL such as https://svc.lab.example`)
    }
    this.#all = addresses
  }

  /** Number of addresses. */
  get count(): number {
    return this.#all.length
  }

  get current(): string {
    return this.#all[this.#at] ?? ''
  }

  /** Notes that a server was connected: what is wrong with its name later is a failure of the network. */
  reach(address: string): void {
    this.#reached.add(address)
    this.#wrong.delete(address)
  }

  /**
   * The origin of this page, if a browser may be what withholds the responses of `address`: it has another
   * origin, and nothing was ever read from it. Browsers report a server that does not allow an origin as one
   * that is down.
   */
  unreadFrom(address: string): string | undefined {
    const origin = pageOrigin()
    const isOther = origin !== undefined && origin !== new URL(address).origin
    return isOther && !this.#reached.has(address) ? origin : undefined
  }

  /** Whether a page that reads nothing from `address` has tried for long enough. */
  isSilent(address: string): boolean {
    const since = this.#silentSince.get(address) ?? Date.now()
    this.#silentSince.set(address, since)
    return Date.now() - since >= SILENT_MS
  }

  /**
   * Continues with the address after the one that did not respond or does not lead. Returns whether it is
   * of no use to try again: that each address is wrong.
   */
  leave(address: string, isWrong: boolean): boolean {
    if (address === this.current) this.#at = (this.#at + 1) % this.#all.length
    if (!isWrong || this.#reached.has(address)) return false
    this.#wrong.add(address)
    return this.#wrong.size === new Set(this.#all).size
  }
}

/** The origin of the page, or of the page of the worker, in a browser. */
function pageOrigin(): string | undefined {
  const { location, navigator } = globalThis as Partial<Pick<typeof globalThis, 'location' | 'navigator'>>
  // Deno has a location too.
  return navigator?.userAgent?.startsWith('Mozilla/') ? location?.origin : undefined
}
