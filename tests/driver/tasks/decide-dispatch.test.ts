import { expect, test } from 'bun:test'
import {
  type CoordinatorState,
  type DispatchDecision,
  decideDispatch,
} from '../../../src/driver/tasks/decide-dispatch.ts'

const IDLE: CoordinatorState = { running: undefined, epoch: 3, stopping: false, hasResult: false }
const DISPATCH = { result: 'a.1', epoch: 3 }

const CASES: [string, Partial<CoordinatorState>, Partial<typeof DISPATCH>, DispatchDecision][] = [
  ['runs a job when idle', {}, {}, 'run'],
  ['runs a job of a newer lease', {}, { epoch: 4 }, 'run'],
  ['refuses a job of an older lease', {}, { epoch: 2 }, 'old_epoch'],
  ['refuses a second job', { running: 'b.1' }, {}, 'busy'],
  ['refuses a newer attempt while the older one runs', { running: 'a.1' }, { result: 'a.2' }, 'busy'],
  ['confirms the running attempt', { running: 'a.1' }, {}, 'confirm'],
  ['confirms the running attempt under any lease', { running: 'a.1' }, { epoch: 1 }, 'confirm'],
  ['confirms the running attempt while stopping', { running: 'a.1', stopping: true }, {}, 'confirm'],
  ['resends a finished attempt', { hasResult: true }, {}, 'resend'],
  ['resends a finished attempt of an older lease', { hasResult: true }, { epoch: 1 }, 'resend'],
  ['resends a finished attempt while another runs', { hasResult: true, running: 'b.1' }, {}, 'resend'],
  ['refuses a job of an older lease as such while stopping', { stopping: true }, { epoch: 2 }, 'old_epoch'],
  ['accepts nothing while stopping', { stopping: true }, {}, 'stopping'],
]

test.each(CASES)('decideDispatch() %s', (_, state, dispatch, verdict) => {
  expect(decideDispatch({ ...DISPATCH, ...dispatch }, { ...IDLE, ...state })).toBe(verdict)
})
