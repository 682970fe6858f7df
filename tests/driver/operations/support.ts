import { Alarms } from '../../../src/base/index.ts'
import type { FromHost } from '../../../src/driver/messages/host-messages.ts'
import type { OperationIo } from '../../../src/driver/operations/operation.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { recordedLog } from '../support/logs.ts'

/** The services of an operation, with all messages it sends. */
export function operationIo() {
  const clock = new FakeClock()
  const sent: FromHost[] = []
  const stopping = new AbortController()
  const recorded = recordedLog()
  const io: OperationIo = {
    clock,
    alarms: new Alarms(clock),
    log: recorded.log,
    signal: stopping.signal,
    device: 'coin',
    version: '1.2.3',
    jobTimeoutMs: 10_000,
    send: (message) => sent.push(message),
  }
  return { io, clock, sent, stopping, ...recorded }
}
