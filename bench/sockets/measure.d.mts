export interface Link {
  send(body: Uint8Array): Promise<void> | undefined
  onMessage(handler: (body: Uint8Array) => void): void
}
export interface Load {
  size: number
  messages: number
  roundTrips: number
}
export interface Figures {
  perSecond: number
  p50: number
  p99: number
}
export function untilConnected(link: Link): Promise<unknown>
export function respond(link: Link): void
export function measure(link: Link, load: Load): Promise<Figures>
