/** What a stub does with one request: responds, or closes the connection without a response. */
export type StubResponse =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** JSON, or the text of a response that is none. */
      readonly body?: unknown
    }
  | { readonly fault: 'close' }

/** A request and what follows, once for each time that it is sent. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly responses: readonly StubResponse[]
}

/** The error that a call ends with, in the class names of the JavaScript client. */
export interface RaisedError {
  readonly error: string
  readonly status?: number
  readonly code?: string
  readonly request_id?: string
  /** Seconds. */
  readonly retry_after?: number
  /** Invalid fields by their path. */
  readonly fields?: unknown
  readonly job_id?: string
  readonly maybe_done?: boolean
  /** Parts of the message. */
  readonly contains?: readonly string[]
}

/** One case of `clients/contract/cases.json`, whose `format` says what each field means. */
export interface ContractCase {
  readonly name: string
  readonly call: string
  readonly args: Readonly<Record<string, unknown>>
  readonly exchanges: readonly Exchange[]
  readonly returns?: unknown
  readonly raises?: RaisedError
}

/** The token that every client sends in the cases. */
export const CONTRACT_TOKEN = 'contract-token'
