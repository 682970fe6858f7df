/** Where the qubits of an operator meet: those of two at the site of one; more at the middle one. */
export type Meeting = 'left' | 'right'

/**
 * Exchanges of neighboring sites that bring operands to neighboring sites: calls `exchange` with the first
 * site of each pair, in order; returns the first site of the operands afterwards. `sites` are ascending.
 */
export function gather(sites: readonly number[], meeting: Meeting, exchange: (site: number) => void): number {
  const middle = sites.length > 2 ? (sites.length - 1) >> 1 : meeting === 'left' ? 0 : sites.length - 1
  const place = sites[middle] as number
  for (let index = middle - 1; index >= 0; index--) {
    const wanted = place - (middle - index)
    for (let at = sites[index] as number; at < wanted; at++) exchange(at)
  }
  for (let index = middle + 1; index < sites.length; index++) {
    const wanted = place + (index - middle)
    for (let at = sites[index] as number; at > wanted; at--) exchange(at - 1)
  }
  return place - middle
}
