import { beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { BELL } from '../../support/executable/service.ts'
import { FaultLab, ROW_RUNS, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { makeTestCertificates, type TestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { openReceiver, RECEIVER_NAMES } from '../../support/webhooks/receiver.ts'

let certificates: TestCertificates
beforeAll(async () => {
  certificates = await makeTestCertificates(RECEIVER_NAMES)
})

const ROWS = [
  { name: 'kill between the commit of an event and its delivery', armed: 'webhook.sending:1:kill', times: 1 },
  { name: 'kill between a delivery and its record', armed: 'webhook.sent:1:kill', times: 2 },
] as const

for (const { name, armed, times } of ROWS) {
  test(
    name,
    async () => {
      using folder = temporaryFolder()
      const ca = `${folder.path}/ca.pem`
      writeFileSync(ca, certificates.caPem)
      const flags = ['--webhook-networks', '127.0.0.1', '--webhook-ca-file', ca]
      await using lab = await FaultLab.open({ flags })
      const { service, user } = lab
      const { token } = user
      await using receiver = await openReceiver({ certificates })
      const body = { url: `https://127.0.0.1:${receiver.port}/`, kinds: ['job.ended'] }
      expect(await service.call('POST', '/api/webhooks', { token, body })).toMatchObject({ status: 201 })
      for (let run = 0; run < ROW_RUNS; run += 1) {
        const begun = receiver.requests.length
        await lab.restart(armed)
        const job = { circuits: [{ circuit: BELL }], shots: 1 }
        const made = await service.call<{ id: string }>('POST', '/api/jobs', { token, body: job })
        // The response may be lost with the server.
        await service.call('POST', `/api/jobs/${made.body.id}/cancel`, { token }).catch(() => undefined)
        await lab.recover()
        const isRecorded = () =>
          lab.count("SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'") === 0
        await until('every delivery to be recorded', isRecorded)
        const requests = receiver.requests.slice(begun)
        expect(requests.map(({ body }) => JSON.parse(body).data.id)).toEqual(Array(times).fill(made.body.id))
        expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      }
      closeRow(name, { runs: ROW_RUNS, 'requests received': receiver.requests.length })
      await lab.close()
    },
    ROW_TIMEOUT_MS,
  )
}
