/** Where a cluster listens. */
export interface ClusterAddress {
  host: string
  /** Port of the whole cluster. */
  port: number
  /** The module in slot n listens at this port + n. */
  moduleBase: number
}

const PORT = 5_025
const MODULE_BASE = 25_000
/** Ports of modules are at most this far from their base: the number of slots. */
const SLOTS = 20
const MAX_PORT = 65_535

/** A name or an IPv4 address, or an IPv6 address in brackets, each with or without a port. */
const LOCATOR =
  /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?))(?::(?<port>\d{1,5}))?$/i

/**
 * The address in `ip` of a hardware file: `192.168.0.2`, `cluster.lab:5025`, `[fe80::1]:5025`.
 * @param moduleBase `module_base_port` of the file
 * @returns undefined for a text that is no address.
 */
export function clusterAddressOf(locator: string, moduleBase = MODULE_BASE): ClusterAddress | undefined {
  const { v6, name, port = String(PORT) } = LOCATOR.exec(locator)?.groups ?? {}
  const host = v6 ?? name
  if (host === undefined || Number(port) < 1 || Number(port) > MAX_PORT) return undefined
  return { host, port: Number(port), moduleBase }
}

/** Whether all modules of a cluster have a port. */
export function isModuleBase(base: number): boolean {
  return Number.isInteger(base) && base >= 0 && base + SLOTS <= MAX_PORT
}
