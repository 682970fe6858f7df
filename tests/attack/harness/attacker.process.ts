/**
 * One attack, in a process of its own: builds its input, waits for the start, sends it for the given time,
 * and reports the responses.
 */
import { setPriority } from 'node:os'
import type { AttackRequest, AttackResponse, Target } from '../attack.ts'
import { ATTACKS } from '../corpus/index.ts'
import type { AttackerConfig, Outcome } from './attacker.ts'
import { sendRaw } from './raw-request.ts'

/** Pause between shots: below the request rates of guests and users. */
const SHOT_INTERVAL_MS = 100

const config = JSON.parse(process.argv[2] ?? '{}') as AttackerConfig
const index = ATTACKS.findIndex(({ name }) => name === config.attack)
const attack = ATTACKS[index]
if (!attack) throw new Error(`no attack ${config.attack}`)
try {
  // Attackers do not run on the machine of the server.
  setPriority(10)
} catch {
  // The measurement is only noisier.
}

const outcome: Outcome = { shots: 0, results: {}, slowestMs: 0, firstError: '' }
function note(result: string): void {
  outcome.results[result] = (outcome.results[result] ?? 0) + 1
}

/** Every attack has addresses of its own, so that none uses up the requests of another. */
const addressOf = (number: number) => `127.${index + 1}.${number >> 8}.${(number & 255) + 1}`

async function send(request: AttackRequest): Promise<AttackResponse> {
  const started = performance.now()
  const response = await sendRaw(config.port, addressOf(request.from ?? 0), request)
  outcome.slowestMs = Math.max(outcome.slowestMs, performance.now() - started)
  note(String(response.status))
  if ((response.status === 0 || response.status >= 400) && outcome.firstError === '')
    outcome.firstError = response.text.slice(0, 300)
  return response
}

const target: Target = {
  ...{ url: config.url, port: config.port, seeded: config.seeded, durationMs: config.durationMs },
  ...{ send, note, addressOf },
}
const shoot = await attack.prepare(target)
const { promise: go, resolve: onGo } = Promise.withResolvers<void>()
process.on('message', () => onGo())
process.send?.('ready')
await go
const end = performance.now() + config.durationMs
const { width = 1, shots = Number.POSITIVE_INFINITY } = attack
async function lane(): Promise<void> {
  while (performance.now() < end && outcome.shots < shots) {
    outcome.shots += 1
    const next = performance.now() + SHOT_INTERVAL_MS
    await shoot()
    await Bun.sleep(Math.max(0, next - performance.now()))
  }
}
await Promise.all(Array.from({ length: width }, lane))
process.send?.(outcome)
// Open connections and streams end with the process.
await Bun.sleep(50)
process.exit(0)
