import * as v from 'valibot'
import type { Clock } from '../../base/index.ts'
import {
  type ConnectRequest,
  type ConnectResponse,
  connectResponse,
  type Operation,
  parseFingerprint,
} from '../../protocol/index.ts'
import { parseJson } from '../messages/command-head.ts'
import { ConnectRefusal, refusalOf } from './refusal.ts'
import { request } from './request.ts'

interface LeaseOptions {
  /** Address of the server, without trailing slash. */
  svcAddr: string
  token: string
  operation: Operation
  device: string
  /** Name of this machine. */
  host: string
  version: string
  /** Random text of this process. */
  instance: string
  /** Why this process could not attach before. */
  failure?: string | undefined
  /** Root CA of the server (PEM), already compared with `pin`. */
  ca: string
  pin: string
  /** Time for the request; 10 s if unset. */
  timeoutMs?: number | undefined
  clock: Clock
  signal: AbortSignal
}

/**
 * Requests a lease with the access token: the ports to attach to and the credentials for them.
 * @throws ConnectRefusal when the server refuses, or its response names another operation or another CA.
 * @throws AppError `unavailable` when the server cannot be reached.
 */
export async function requestLease(options: LeaseOptions): Promise<ConnectResponse> {
  const { svcAddr, token, operation, device, host, version, instance, failure } = options
  const { ca, timeoutMs, clock, signal } = options
  const body: ConnectRequest = { token, operation, device, host, version, instance, failure }
  const response = await request(`${svcAddr}/api/op/drivers/connect`, {
    method: 'POST',
    body,
    trust: { ca },
    timeoutMs,
    clock,
    signal,
  })
  if (response.status !== 200) throw refusalOf('connect was', response)
  const parsed = v.safeParse(connectResponse, parseJson(response.text))
  if (!parsed.success) {
    const [issue] = parsed.issues
    const path = v.getDotPath(issue) ?? 'body'
    throw new ConnectRefusal(0, `the server's connect response is not valid: ${path}: ${issue.message}`)
  }
  const lease = parsed.output
  if (lease.operation !== operation) {
    throw new ConnectRefusal(
      0,
      `driver ${lease.name} is registered for ${lease.operation}, not ${operation}; ` +
        `start it with --operation ${lease.operation} or use the token of another driver`,
    )
  }
  if (parseFingerprint(lease.tls_hash) !== parseFingerprint(options.pin)) {
    throw new ConnectRefusal(
      0,
      `the server announces a root CA with fingerprint ${lease.tls_hash}, but --ca-fingerprint pins ${options.pin}`,
    )
  }
  return lease
}

/** Whether the address exposes the token to the network: plain HTTP to another machine. */
export function isExposed(svcAddr: string): boolean {
  const { protocol, hostname } = new URL(svcAddr)
  const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  return protocol === 'http:' && !loopback
}
