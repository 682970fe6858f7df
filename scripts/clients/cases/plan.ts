import type { StubResponse } from '../../../tests/support/contract/case.ts'
import type { Service } from '../../../tests/support/executable/service.ts'

/** The server that cases are recorded with, and what it holds. */
export interface Lab {
  readonly service: Service
  readonly user: { readonly id: string; readonly token: string }
  /** Ids of jobs in each state, and of other records, by name. */
  readonly ids: Readonly<Record<string, string>>
  /** Ends the server and its drivers. */
  close(): Promise<void>
}

/** A call to record. */
export interface PlannedCase {
  readonly name: string
  readonly call: string
  /** Arguments, or what makes them with the server. */
  readonly args: object | ((lab: Lab) => object | Promise<object>)
  /** Who calls; default the user. */
  readonly as?: 'superuser' | 'nobody'
  /** In place of the server, after `after` requests: failures of it and the network, other versions. */
  readonly failures?: {
    readonly after?: number
    readonly responses: readonly StubResponse[] | ((lab: Lab) => readonly StubResponse[])
  }
  /** What happens on the server during the call. */
  readonly meanwhile?: (lab: Lab, args: Readonly<Record<string, unknown>>) => Promise<void>
  /** Further parts of the message of an error. */
  readonly contains?: readonly string[]
}

/** The response of the server for an error, as `scripts/clients/cases` state it. */
export function failure(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): StubResponse {
  const body = { status, message, code, request_id: 'req-contract', data: {} }
  return { status, ...(headers && { headers }), body }
}

export const RECALL_REASON = 'a bad fit of q1'

export const CLOSED: StubResponse = { fault: 'close' }

export const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
export const FLIP = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; x q; c = measure q;'
export const ROTATION =
  'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; bit c; rx(a) q; c = measure q;'
