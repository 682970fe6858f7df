/** What an attack gets: the server under attack, accounts on it, and a recorder of responses. */
export interface Target {
  /** Base URL of the server. */
  readonly url: string
  readonly port: number
  readonly seeded: Seeded
  /** Length of the attack in ms; floods end after it. */
  readonly durationMs: number
  /** Sends one request and records its status; resolves with status 0 when there is no response in 30 s. */
  send(request: AttackRequest): Promise<AttackResponse>
  /** A loopback address that only this attack uses, by number. */
  addressOf(number: number): string
  /** Records a result that is not an HTTP response, such as `connection closed`. */
  note(result: string): void
}

/** One HTTP request of an attack. */
export interface AttackRequest {
  method?: string
  /** Path with query. */
  path: string
  token?: string | undefined
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Number of the address that sends it, from 0. */
  from?: number
}

/** The response to an attack. */
export interface AttackResponse {
  /** 0 = no response within 30 s, or the connection was closed. */
  status: number
  text: string
}

/** An account with an API token. */
export interface Account {
  id: string
  token: string
}

/** What the seeded database contains for attacks. */
export interface Seeded {
  /** Ids of the users that attack. */
  attackers: Account[]
  /** Ids of the users that work meanwhile. */
  others: Account[]
  /** Access tokens of one driver per operation, all of one QPU. */
  drivers: { process: string; monitor: string; calibrate: string }
  /** Id and name of the QPU of these drivers. */
  qpu: { id: string; name: string }
  /** Ids of jobs of the first attacker that have a program of 9 MB. */
  largePrograms: string[]
  /** Ids of jobs of the first attacker that have results of 8 MiB. */
  largeResults: string[]
  jobs: number
  events: number
}

/** One step of an attack; it is repeated. */
export type Shot = () => Promise<unknown>

/** One input at its documented cap. */
export interface Attack {
  /** Name in the table and for `--only`: lower case with hyphens. */
  name: string
  who: 'guest' | 'user' | 'driver' | 'superuser'
  /** The input, as the table describes it. */
  input: string
  /** The documented cap that the input reaches, or exceeds by the least. */
  cap: string
  /** Row of the findings that led to the limits, if it is one of them. */
  finding?: number
  /**
   * Every result that a server within its limits may give: HTTP statuses, 0 for a connection closed without a
   * response, and results noted by the attack.
   */
  expect: readonly (number | string)[]
  /** Number of shots at the same time; 1 unless given. */
  width?: number
  /** Maximum number of shots; repeated for the duration of the attack unless given. */
  shots?: number
  /** Builds the input, which is not measured, and returns what sends it once. */
  prepare(target: Target): Shot | Promise<Shot>
}

/** Declares attacks of one subject. */
export function defineAttacks(attacks: readonly Attack[]): readonly Attack[] {
  return attacks
}
