/**
 * Records `clients/contract/cases.json` (`npm run clients -- --record`): makes each planned call with the
 * JavaScript client and a server of the built executable, and writes what was sent, what came back, and what
 * the call returned.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcClient } from '../../../clients/js/src/index.ts'
import { CONTRACT_TOKEN, type ContractCase, type Exchange } from '../../../tests/support/contract/case.ts'
import { perform } from '../../../tests/support/contract/perform.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { ensureBuild } from '../../ensure-build.ts'
import { FORMAT } from './format.ts'
import { JOBS } from './jobs.ts'
import { openLab } from './lab.ts'
import { OPERATIONS } from './operations.ts'
import type { Lab, PlannedCase } from './plan.ts'
import { record } from './recorder.ts'
import { RESOURCES } from './resources.ts'
import { SUBMISSIONS } from './submissions.ts'

const FILE = join(import.meta.dir, '../../../clients/contract/cases.json')
/** Values that are shown once and belong to nobody. */
const SECRETS = new Set(['access_token', 'token', 'secret', 'ca_fingerprint'])

await ensureBuild()
using folder = temporaryFolder()
const lab = await openLab(folder.path)
const cases: ContractCase[] = []
try {
  for (const plan of [...SUBMISSIONS, ...JOBS, ...RESOURCES, ...OPERATIONS]) {
    if (cases.some(({ name }) => name === plan.name)) throw new Error(`Two cases are called ${plan.name}`)
    cases.push(await recordCase(lab, plan))
  }
} finally {
  await lab.close()
}
const text = JSON.stringify({ format: FORMAT, cases: withoutSecrets(cases) }, null, 1)
writeFileSync(FILE, `${text}\n`)
console.log(`${cases.length} cases`)

async function recordCase(lab: Lab, plan: PlannedCase): Promise<ContractCase> {
  const { name, call, contains = [] } = plan
  const args = { ...(typeof plan.args === 'function' ? await plan.args(lab) : plan.args) }
  const recording = record(plan, lab)
  const apiToken = await tokenOf(lab, plan)
  const svc = new SvcClient({ baseUrl: lab.service.url, apiToken, fetch: recording.fetch })
  const [outcome] = await Promise.all([perform(svc, { call, args }), plan.meanwhile?.(lab, args)])
  const { returns, raises, message = '' } = outcome
  const parts = [...messageOf(recording.exchanges), ...contains]
  const missing = parts.filter((part) => !message.includes(part))
  if (raises && missing.length > 0) throw new Error(`${name}: "${message}" lacks ${missing}`)
  const exchanges = recording.exchanges.map((each) => withoutOwnKey(each, args))
  return {
    name,
    call,
    args,
    exchanges,
    ...(raises ? { raises: { ...raises, ...(parts.length > 0 && { contains: parts }) } } : { returns }),
  }
}

async function tokenOf({ service, user }: Lab, { as }: PlannedCase): Promise<string> {
  if (as === 'superuser') return service.admin()
  return as === 'nobody' ? CONTRACT_TOKEN : user.token
}

/** The message of the error that the server responded with last. */
function messageOf(exchanges: readonly Exchange[]): string[] {
  const last = exchanges.at(-1)?.responses.at(-1)
  if (!last || 'fault' in last || last.status < 400 || typeof last.body !== 'object') return []
  // The server cannot know what a client has to do with its token.
  if (last.status === 401) return ['API token']
  return [String((last.body as { message: string }).message)]
}

/** A key that the client chose is its own matter. */
function withoutOwnKey(exchange: Exchange, args: Readonly<Record<string, unknown>>): Exchange {
  const { headers, ...rest } = exchange
  return headers && args['idempotency_key'] !== undefined ? exchange : rest
}

function withoutSecrets(given: readonly ContractCase[]): unknown {
  const text = JSON.stringify(given, (key, value) =>
    SECRETS.has(key) && typeof value === 'string' ? 'shown-once' : value,
  )
  return JSON.parse(text)
}
