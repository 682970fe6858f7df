import { expect, test } from 'bun:test'
import { Service } from '../../support/executable/service.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { limitMemory, whyNoMemoryLimit } from '../../support/faults/memory-limit.ts'
import { whyNot } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// F22: more large bodies at once than the memory of the server could hold.
const RUNS = faultRuns(1)
const MIB = 350
const ACCOUNTS = 20
const BODIES = 2
const GATES = 1_125_000
const CIRCUIT = `OPENQASM 3.0; include "stdgates.inc"; qubit[1] q;\n${'h q[0];\n'.repeat(GATES)}`

/** Sends a job of 9 MB; whether there was room for it. */
async function sendLarge(url: string, token: string): Promise<boolean> {
  const headers = { authorization: token, 'content-type': 'application/json' }
  const body = JSON.stringify({ circuits: [{ circuit: CIRCUIT }], shots: 10 })
  const response = await fetch(`${url}/api/jobs`, { method: 'POST', headers, body })
  const { code } = (await response.json()) as { code?: string }
  if (response.status === 201) return true
  const retryAfter = Number(response.headers.get('retry-after'))
  expect([response.status, code, retryAfter > 0]).toEqual([503, 'too_many_large_bodies', true])
  return false
}

// On the build machine too: a container may have everything but control groups that it may change.
test.skipIf((whyNot() ?? whyNoMemoryLimit()) !== undefined)(
  'a server in 350 MiB accepts large jobs of many accounts as memory allows, and defers the others',
  async () => {
    using folder = temporaryFolder()
    using limit = limitMemory(MIB)
    await using service = await Service.install(folder.path, { prefix: limit.prefix })
    await service.start()
    await service.createQpu('target')
    const emails = Array.from({ length: ACCOUNTS }, (_, n) => `user-${n}@example.org`)
    const users = await Promise.all(emails.map((email) => service.createUser(1_000_000, email)))
    let taken = 0
    for (let run = 0; run < RUNS; run += 1) {
      const sent = users.flatMap(({ token }) =>
        Array.from({ length: BODIES }, () => sendLarge(service.url, token)),
      )
      for (const isAccepted of await Promise.all(sent)) taken += isAccepted ? 1 : 0
    }
    const bodies = RUNS * ACCOUNTS * BODIES
    closeRow('F22 memory', { runs: RUNS, bodies, taken, kills: limit.kills() })
    expect(taken).toBeGreaterThan(0)
    expect(limit.kills()).toBe(0)
    await service.stop()
    expect((await service.doctor()).out).toBe('svc_data: no problems found\n')
  },
  60_000 + RUNS * 60_000,
)
