import type { Job } from '../../../src/db/store/jobs/index.ts'
import type { Qpu } from '../../../src/db/store/qpus/index.ts'
import {
  type HeldSession,
  type NewHolder,
  type Session,
  sessions,
  startSession,
} from '../../../src/db/store/sessions/index.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import type { User } from '../../../src/server/http/caller.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../src/server/jobs/dispatch/dispatcher.ts'
import { SessionClock } from '../../../src/server/sessions/session-clock.ts'
import { JobLab } from '../server/job-lab.ts'
import { until } from '../until.ts'

/** A lab with a QPU, two users, a dispatcher and the clock of sessions. */
export class SessionLab implements AsyncDisposable {
  readonly lab: JobLab
  readonly qpu: Qpu
  readonly ada: User
  readonly bob: User
  readonly #dispatcher: JobDispatcher
  readonly #sessionClock: SessionClock

  private constructor(lab: JobLab, qpu: Qpu, [ada, bob]: [User, User]) {
    this.lab = lab
    this.qpu = qpu
    this.ada = ada
    this.bob = bob
    const heartbeats = new Heartbeats(lab.clock, lab.config.jobTimeout)
    const dependencies = { ...lab.dependencies(), heartbeats, backoff: new DispatchBackoff(lab.clock) }
    this.#dispatcher = new JobDispatcher(dependencies)
    this.#sessionClock = new SessionClock(lab.dependencies())
  }

  static async open(seconds = 1_000): Promise<SessionLab> {
    const lab = await JobLab.open()
    const qpu = await lab.qpu()
    await lab.attach(qpu.driver)
    return new SessionLab(lab, qpu, [await lab.user(seconds), await lab.user(seconds)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }

  start(user: User, over: Partial<NewHolder> = {}): Promise<HeldSession> {
    const wanted: NewHolder = {
      user: user.id,
      qpu: this.qpu.id,
      mode: 'exclusive',
      seconds: 600,
      idleSeconds: 60,
      holder: { kind: 'client', name: '', endsAt: '' },
      key: '',
      bodyHash: '',
      ...over,
    }
    return this.lab.db.write('start', (tx) => startSession(tx, wanted, 1))
  }

  /** Lets everything happen that is due after so many seconds. */
  async pass(seconds = 0): Promise<void> {
    await this.lab.clock.advance(seconds * 1_000)
    await this.#sessionClock.runOnce()
    await this.dispatch()
  }

  /** Starts what may start, before the clock of sessions has looked. */
  async dispatch(): Promise<void> {
    await this.#dispatcher.dispatchOnce()
  }

  async session({ session }: HeldSession): Promise<Session> {
    const found = await this.lab.db.read((tx) => tx.find(sessions, session.id))
    if (!found) throw new Error('the session is gone')
    return found
  }

  /** Lets the clock of sessions run as in a server; resolves when it waits for what comes next. */
  async startClock(): Promise<AsyncDisposable> {
    const { loop } = this.#sessionClock
    loop.start()
    await until('the clock waits', () => loop.status.nextAt !== undefined)
    return { [Symbol.asyncDispose]: () => loop.stop() }
  }

  async stateOf(held: HeldSession): Promise<string> {
    const { state, paused_by, end } = await this.session(held)
    return [state, paused_by, end].filter((word) => word !== '').join(' ')
  }

  /** The owner of the running job; undefined without one. */
  async runningUser(): Promise<string | undefined> {
    const row = await this.lab.db.read((tx) =>
      tx.one<{ user: string }>(`SELECT user_id AS "user" FROM quantum_jobs WHERE status = 'running'`),
    )
    return row?.user
  }

  async statusOf({ id }: Job): Promise<string> {
    return (await this.lab.job(id)).status
  }

  /** Balance in ms that a user has paid. */
  async paid(user: User, seconds = 1_000): Promise<number> {
    return seconds * 1_000 - (await this.lab.balance(user))
  }
}
