/** The addresses of a server, of which one is in use until it does not respond. */
export class Addresses {
  readonly #all: readonly string[]
  #at = 0

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

  get current(): string {
    return this.#all[this.#at] ?? ''
  }

  /** Continues with the address after the one that did not respond. */
  leave(address: string): void {
    if (address === this.current) this.#at = (this.#at + 1) % this.#all.length
  }
}
