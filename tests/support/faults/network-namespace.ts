import { $ } from 'bun'

/** A second machine, as far as the network is concerned: joined to this one by a cable that can be pulled. */
export interface OtherMachine extends AsyncDisposable {
  /** Address under which it reaches this machine. */
  readonly here: string
  /** The command that runs another one on the second machine. */
  readonly prefix: string[]
  /** Disconnects the cable, or one direction of it: packets are lost and neither end is notified. */
  cut(direction?: 'here' | 'there'): Promise<void>
  /** Packets to another address of this machine are lost, as behind a firewall. */
  lose(address: string): Promise<void>
  /** Plugs it in again. */
  mend(): Promise<void>
}

/** Why no network namespace can be made here, or undefined. Making one takes root and `ip`. */
export async function whyNoNamespace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux'
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  if (!Bun.which('ip')) return 'network namespaces need the program ip (package iproute2)'
  const name = `svc-try-${process.pid}`
  const made = await $`ip netns add ${name}`.nothrow().quiet()
  if (made.exitCode !== 0) return `no network namespace can be made here: ${made.stderr.toString().trim()}`
  await $`ip netns del ${name}`.nothrow().quiet()
  return undefined
}

/** An address that no machine has: packets to it are lost. */
const UNUSED_ADDRESS = '02:00:00:00:00:01'
let machines = 0

/**
 * Makes a namespace and a pair of virtual interfaces to it, with addresses of a network of their own. With
 * `here` it reaches this machine also under that address, which another machine's cable has given to it.
 */
export async function openOtherMachine(options: { here?: string } = {}): Promise<OtherMachine> {
  machines += 1
  const name = `svc-${process.pid}-${machines}`
  const near = `svcn${process.pid}x${machines}`.slice(0, 15)
  const far = `svcf${process.pid}x${machines}`.slice(0, 15)
  const network = `10.${200 + (process.pid % 50)}.${(process.pid * 7 + machines) % 250}`
  const [nearIp, farIp] = [`${network}.1`, `${network}.2`]
  const { here = nearIp } = options
  async function close(): Promise<void> {
    await $`ip link del ${near}`.nothrow().quiet()
    await $`ip netns del ${name}`.nothrow().quiet()
  }
  try {
    await $`ip netns add ${name}`.quiet()
    await $`ip link add ${near} type veth peer name ${far} netns ${name}`.quiet()
    await $`ip addr add ${nearIp}/24 dev ${near}`.quiet()
    await $`ip link set ${near} up`.quiet()
    await $`ip -n ${name} addr add ${farIp}/24 dev ${far}`.quiet()
    await $`ip -n ${name} link set lo up`.quiet()
    await $`ip -n ${name} link set ${far} up`.quiet()
    if (here !== nearIp) await $`ip -n ${name} route add ${here} via ${nearIp}`.quiet()
  } catch (error) {
    await close()
    throw error
  }
  return {
    here,
    prefix: ['ip', 'netns', 'exec', name],
    async cut(direction) {
      if (direction === undefined) await $`ip -n ${name} link set ${far} down`.quiet()
      if (direction === 'there') {
        await $`ip neigh replace ${farIp} lladdr ${UNUSED_ADDRESS} dev ${near} nud permanent`.quiet()
      }
      if (direction === 'here') {
        await $`ip -n ${name} neigh replace ${nearIp} lladdr ${UNUSED_ADDRESS} dev ${far} nud permanent`.quiet()
      }
    },
    async lose(address) {
      await $`ip -n ${name} route replace ${address} dev ${far}`.quiet()
      await $`ip -n ${name} neigh replace ${address} lladdr ${UNUSED_ADDRESS} dev ${far} nud permanent`.quiet()
    },
    async mend() {
      await $`ip -n ${name} link set ${far} up`.quiet()
      await $`ip neigh del ${farIp} dev ${near}`.nothrow().quiet()
      await $`ip -n ${name} neigh del ${nearIp} dev ${far}`.nothrow().quiet()
      // With the link its routes went too.
      if (here !== nearIp) await $`ip -n ${name} route replace ${here} via ${nearIp}`.quiet()
    },
    [Symbol.asyncDispose]: close,
  }
}
