import { $ } from 'bun'

/** A second machine, as far as the network is concerned: joined to this one by a cable that can be pulled. */
export interface OtherMachine extends AsyncDisposable {
  /** Address of this side of the cable. */
  readonly here: string
  /** What to put before a command to run it over there. */
  readonly prefix: string[]
  /** Pulls the cable: nothing gets through and nobody is told. */
  cut(): Promise<void>
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

/** Makes a namespace and a pair of virtual interfaces to it, with addresses of a network of their own. */
export async function openOtherMachine(): Promise<OtherMachine> {
  const name = `svc-${process.pid}`
  const near = `svcn${process.pid}`.slice(0, 15)
  const far = `svcf${process.pid}`.slice(0, 15)
  const network = `10.${200 + (process.pid % 50)}.${process.pid % 250}`
  async function close(): Promise<void> {
    await $`ip link del ${near}`.nothrow().quiet()
    await $`ip netns del ${name}`.nothrow().quiet()
  }
  try {
    await $`ip netns add ${name}`.quiet()
    await $`ip link add ${near} type veth peer name ${far} netns ${name}`.quiet()
    await $`ip addr add ${network}.1/24 dev ${near}`.quiet()
    await $`ip link set ${near} up`.quiet()
    await $`ip -n ${name} addr add ${network}.2/24 dev ${far}`.quiet()
    await $`ip -n ${name} link set lo up`.quiet()
    await $`ip -n ${name} link set ${far} up`.quiet()
  } catch (error) {
    await close()
    throw error
  }
  return {
    here: `${network}.1`,
    prefix: ['ip', 'netns', 'exec', name],
    cut: async () => void (await $`ip -n ${name} link set ${far} down`.quiet()),
    mend: async () => void (await $`ip -n ${name} link set ${far} up`.quiet()),
    [Symbol.asyncDispose]: close,
  }
}
