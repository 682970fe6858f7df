import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { until } from '../until.ts'
import { whyNoNamespace } from './network-namespace.ts'

/** The quality of the line, in either direction. */
export interface Quality {
  /** Share that gets lost, 0 to 1. */
  loss: number
  /** Share that arrives twice. */
  duplicates: number
  /** Shortest time under way, and how much longer it may take: then packets overtake each other. */
  delayMs: number
  jitterMs: number
}

/** A second machine that is reached by a bad network only. */
export interface FarMachine extends AsyncDisposable {
  /** Its address. */
  readonly there: string
  /** The command that runs another one on the second machine. */
  readonly prefix: string[]
  /** Ends the cable. Returns how many packets it has carried, lost and sent twice. */
  close(): Promise<{ carried: number; lost: number; duplicated: number }>
}

/** Why there can be no such machine here, or undefined. */
export async function whyNoBadCable(): Promise<string | undefined> {
  return existsSync('/dev/net/tun') ? whyNoNamespace() : 'it takes /dev/net/tun'
}

/**
 * Makes a namespace and a cable to it that loses, delays and repeats packets: every packet goes through a
 * process of ours, since kernels are built without netem.
 */
export async function openBadCable(quality: Quality): Promise<FarMachine> {
  const name = `svc-bad-${process.pid}`
  const [near, far] = [`svca${process.pid}`, `svcb${process.pid}`]
  const network = `10.${150 + (process.pid % 50)}.${process.pid % 250}`
  const [here, there] = [`${network}.1`, `${network}.2`]
  const script = join(import.meta.dir, 'bad-cable.process.ts')
  const cable = Bun.spawn([process.execPath, script, near, far, JSON.stringify(quality)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  async function listen(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of cable.stdout) said += decoder.decode(chunk, { stream: true })
  }
  const finished = listen()
  async function close() {
    await cable.stdin.end()
    await Promise.all([cable.exited, finished])
    await $`ip netns del ${name}`.nothrow().quiet()
    return JSON.parse(said.split('\n')[1] ?? '{}')
  }
  try {
    await until('the cable', async () => said.startsWith('ready'))
    await $`ip netns add ${name}`.quiet()
    await $`ip link set ${far} netns ${name}`.quiet()
    await $`ip addr add ${here} peer ${there} dev ${near}`.quiet()
    await $`ip link set ${near} up`.quiet()
    await $`ip -n ${name} addr add ${there} peer ${here} dev ${far}`.quiet()
    await $`ip -n ${name} link set lo up`.quiet()
    await $`ip -n ${name} link set ${far} up`.quiet()
  } catch (error) {
    await close()
    throw error
  }
  return {
    there,
    prefix: ['ip', 'netns', 'exec', name],
    close,
    [Symbol.asyncDispose]: async () => void (cable.exitCode === null && (await close())),
  }
}
