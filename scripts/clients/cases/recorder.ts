import type { Exchange, StubResponse } from '../../../tests/support/contract/case.ts'
import { isSameBody } from '../../../tests/support/contract/compare.ts'
import { isReading } from '../../../tests/support/contract/stub.ts'
import type { Lab, PlannedCase } from './plan.ts'

/** Parameters by which clients differ: what they need of a job, and how long they wait for it. */
const CHOICES = ['omit', 'wait', 'limit']
/** Headers of responses on which clients act. */
const HEADERS = ['retry-after']

interface Recording {
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>
  readonly exchanges: readonly Exchange[]
}

/** A `fetch` that records, and plays the failures of a case in place of the server. */
export function record({ failures }: PlannedCase, lab: Lab): Recording {
  const { after = 0, responses = [] } = failures ?? {}
  const planned = typeof responses === 'function' ? responses(lab) : responses
  const exchanges: { -readonly [key in keyof Exchange]: Exchange[key] }[] = []
  let sent = 0

  const add = (input: string, init: RequestInit, response: StubResponse) => {
    const exchange = requestOf(input, init)
    const known = exchanges.find((each) => isSameRequest(each, exchange))
    if (!known) exchanges.push({ ...exchange, responses: [response] })
    else if (!isReading(exchange) || JSON.stringify(known.responses.at(-1)) !== JSON.stringify(response))
      known.responses = [...known.responses, response]
  }
  const fetchRecorded = async (input: string, init: RequestInit): Promise<Response> => {
    const failure = planned[sent - after]
    sent += 1
    if (failure && 'fault' in failure) {
      add(input, init, failure)
      throw Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
    }
    const response = failure ? responseOf(failure) : await fetch(input, init)
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json')
    const body: unknown = isJson ? JSON.parse(text) : text
    const headers = Object.fromEntries(HEADERS.flatMap((name) => headerOf(response, name)))
    const { status } = response
    add(input, init, {
      status,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(body !== '' && { body }),
    })
    return responseOf({ status, headers, body })
  }
  return { fetch: fetchRecorded, exchanges }
}

function headerOf(response: Response, name: string): [string, string][] {
  const value = response.headers.get(name)
  return value === null ? [] : [[name, value]]
}

function responseOf({ status, headers = {}, body }: Exclude<StubResponse, { fault: string }>): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(status === 204 ? null : text, { status, headers })
}

function requestOf(
  input: string,
  { method = 'GET', headers, body }: RequestInit,
): Omit<Exchange, 'responses'> {
  const { pathname, searchParams } = new URL(input)
  const isJobs = pathname.startsWith('/api/jobs')
  const isChoice = (name: string) => CHOICES.includes(name) || (name === 'status' && pathname !== '/api/jobs')
  const query = Object.fromEntries([...searchParams].filter(([name]) => !isJobs || !isChoice(name)))
  const key = new Headers(headers).get('idempotency-key')
  return {
    method,
    path: pathname,
    ...(Object.keys(query).length > 0 && { query }),
    ...(key !== null && { headers: { 'idempotency-key': key } }),
    ...(body instanceof Uint8Array && { body: JSON.parse(new TextDecoder().decode(body)) }),
  }
}

function isSameRequest(one: Exchange, other: Omit<Exchange, 'responses'>): boolean {
  return (
    one.method === other.method &&
    one.path === other.path &&
    JSON.stringify(one.query) === JSON.stringify(other.query) &&
    isSameBody(one.path, one.body ?? {}, other.body ?? {})
  )
}
