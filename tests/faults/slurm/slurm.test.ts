import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BELL, runSvc, Service } from '../../support/executable/service.ts'
import { absentOf, skips, whyNot } from '../../support/faults/prerequisites.ts'
import { CLUSTER, ENDED, SlurmCluster, WAIT_SECONDS } from '../../support/slurm/cluster.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(300_000)

const isSkipped = skips('jobs of Slurm', whyNot('slurmctld', 'slurmd', 'munged', 'setpriv'))
/** Users of the cluster, by the accounts that every Debian has: nobody and daemon. */
const [ADA, BOB] = [65_534, 1]
/** One that is not mapped to a user. */
const STRANGER = 2

test.skipIf(skips('scripts of Slurm', absentOf('shellcheck')))('the scripts are portable and quoted', () => {
  const scripts = ['prolog', 'epilog', 'epilog-slurmctld', 'task-prolog']
  const paths = scripts.map((name) => join(import.meta.dir, '../../../packaging/slurm', `${name}.sh`))
  expect(Bun.spawnSync(['shellcheck', ...paths]).stdout.toString()).toBe('')
})

describe.skipIf(isSkipped)('jobs of Slurm', () => {
  const folders = [temporaryFolder(), temporaryFolder()] as const
  let service: Service
  let cluster: SlurmCluster
  let proxy: CountingProxy
  let ada: { id: string; token: string }
  let bob: { id: string; token: string }

  beforeAll(async () => {
    service = await Service.install(folders[0].path)
    await service.start()
    const kelvin = await service.createQpu('kelvin')
    service.startDriver('kelvin', kelvin, 'mock')
    const celsius = await service.createQpu('celsius')
    service.startDriver('celsius', celsius, 'mock')
    // It has no driver: a session of it is never active.
    await service.createQpu('silent')
    await service.untilOnline('kelvin')
    await service.untilOnline('celsius')
    const admin = await service.admin()
    ada = await service.createUser(100_000, 'ada@lab.example')
    bob = await service.createUser(100_000, 'bob@lab.example')
    for (const [uid, { id }] of [[ADA, ada] as const, [BOB, bob] as const]) {
      const body = { cluster: CLUSTER, uid, user: id }
      await service.call('POST', '/api/collections/cluster_accounts/records', { token: admin, body })
    }
    const body = { name: 'slurm', scope: 'session', cluster: CLUSTER }
    const made = await service.call<{ token: string }>('POST', '/api/tokens', { token: admin, body })
    proxy = new CountingProxy(service.port)
    cluster = await SlurmCluster.start(folders[1].path, {
      SVC_ADDR: proxy.url,
      SVC_API_TOKEN: made.body.token,
    })
    await Bun.write(join(folders[1].path, 'bell.qasm'), BELL)
  })

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    proxy?.stop()
    await service?.[Symbol.asyncDispose]()
    for (const folder of folders) folder[Symbol.dispose]()
  })

  const openSessions = async () => {
    const { body } = await service.call<unknown>('GET', '/api/sessions?limit=200', {
      token: await service.admin(),
    })
    return (body as { state: string }[]).filter(({ state }) => state !== 'closed')
  }

  // Whatever a test does to jobs: the node takes the next one, and the QPU is free.
  afterEach(async () => {
    await until('every session to end', async () => (await openSessions()).length === 0, {
      timeoutMs: 90_000,
      intervalMs: 200,
    })
    await until('the node to be idle', async () => (await cluster.nodeState()) === 'idle', {
      timeoutMs: 90_000,
      intervalMs: 200,
    })
    expect(await cluster.drainReasons()).toBe('')
  })

  const submitBell = () => `svc submit ${join(folders[1].path, 'bell.qasm')} --shots 10 --wait`
  const outputOf = ({ output }: { output: string }) =>
    existsSync(output) ? readFileSync(output, 'utf8') : ''

  const untilSaid = (id: number, line: string) =>
    until(`job ${id} to say ${line}`, async () =>
      (await cluster.jobs(id)).some((job) => outputOf(job).includes(line)),
    )

  test('an array of 200 jobs runs on the QPU, each process with one connection at most', async () => {
    const before = cluster.processes()
    const id = await cluster.submit(ADA, submitBell(), ['--array=0-199', '--comment=svc:kelvin', '--time=10'])
    await until(
      'all jobs to end',
      async () => (await cluster.jobs(id)).every(({ state }) => ENDED.test(state)),
      { timeoutMs: 280_000, intervalMs: 1_000 },
    )
    const jobs = await cluster.jobs(id)
    expect([jobs.length, new Set(jobs.map(({ state }) => state))]).toEqual([200, new Set(['COMPLETED'])])
    expect(jobs.every((job) => /\n +(00|11) +\d/.test(`\n${outputOf(job)}`))).toBe(true)
    expect(proxy.connections).toBeLessThanOrEqual(cluster.processes() - before)
  })

  test('a job that is refused or not in time ends with a line, does not run and drains no node', async () => {
    const script = 'echo ran'
    const late = await cluster.submit(ADA, script, ['--comment=svc:silent'])
    const unknown = await cluster.submit(ADA, script, ['--comment=svc:absent'])
    const stranger = await cluster.submit(STRANGER, script, ['--comment=svc:kelvin'])
    const hostile = await cluster.submit(ADA, script, [
      '--comment=svc:--help,seconds=$(touch pwned),idle=;id',
    ])
    for (const [id, exit, line] of [
      [late, `124:0`, `svc: silent is not held within ${WAIT_SECONDS} s`],
      [unknown, '1:0', 'absent'],
      [stranger, '1:0', `The cluster ${CLUSTER} has no account here for uid ${STRANGER}`],
      [hostile, '2:0', 'svc: '],
    ] as const) {
      const job = await cluster.untilState(id, ENDED)
      expect([job.state, job.exitCode]).toEqual(['FAILED', exit])
      expect(outputOf(job)).toContain(line)
      expect(outputOf(job)).not.toContain('ran\n')
    }
  })

  test('a job that begins when the QPU is expected to be free gets it, without a wait in its allocation', async () => {
    const held = { qpu_target: 'celsius', seconds: 25, idle_seconds: 25 }
    const { body: other } = await service.call<{ id: string }>('POST', '/api/sessions', {
      token: bob.token,
      body: held,
    })
    const session = () =>
      service.call<{ state: string; stopped_at: string }>('GET', `/api/sessions/${other.id}`, {
        token: bob.token,
      })
    await until('the session to be active', async () => (await session()).body.state === 'active')
    const env = { SVC_ADDR: service.url, SVC_API_TOKEN: ada.token }
    const planned = await runSvc(['session', 'plan', 'celsius', '--seconds', '10'], {
      cwd: folders[0].path,
      env,
    })
    expect(planned.out).toMatch(/^now\+\d+\n$/)
    const begun = ['--comment=svc:celsius', `--begin=${planned.out.trim()}`]
    const job = await cluster.untilState(
      await cluster.submit(ADA, 'date -u +%s; echo ran', begun),
      ENDED,
      200_000,
    )
    expect([job.state, outputOf(job)]).toEqual(['COMPLETED', expect.stringMatching(/^\d+\nran\n$/)])
    const { body } = await session()
    expect(body.state).toBe('closed')
    expect(1_000 * Number(outputOf(job).split('\n')[0])).toBeGreaterThanOrEqual(
      Date.parse(body.stopped_at) - 1_000,
    )
  })

  test('a job that is cancelled leaves no session: while it waits, in the prolog, while it runs, at its end', async () => {
    const hold = await cluster.submit(ADA, 'sleep 100', ['--comment=svc:kelvin', '-H'])
    await cluster.root(['scancel', String(hold)])
    expect((await cluster.untilState(hold, ENDED)).state).toBe('CANCELLED')
    const waiting = await cluster.submit(ADA, 'echo ran', ['--comment=svc:silent'])
    await until('the prolog to wait', async () => (await openSessions()).length === 1)
    await cluster.root(['scancel', String(waiting)])
    const stopped = await cluster.untilState(waiting, ENDED)
    expect([stopped.state, outputOf(stopped)]).toEqual(['CANCELLED', ''])
    const running = await cluster.submit(ADA, 'echo begun; sleep 100', ['--comment=svc:kelvin'])
    await untilSaid(running, 'begun')
    await cluster.root(['scancel', String(running)])
    expect((await cluster.untilState(running, ENDED)).state).toBe('CANCELLED')
    const ending = await cluster.submit(ADA, 'echo done', ['--comment=svc:kelvin'])
    await untilSaid(ending, 'done')
    await cluster.root(['scancel', String(ending)])
    await cluster.untilState(ending, ENDED)
  })

  test('the time limit ends job and session', async () => {
    const id = await cluster.submit(ADA, 'echo begun; sleep 300', ['--comment=svc:kelvin', '--time=1'])
    expect((await cluster.untilState(id, ENDED, 200_000)).state).toBe('TIMEOUT')
  })

  test('a server that is down during the prolog fails the job, not the node', async () => {
    await service.stop()
    const id = await cluster.submit(ADA, 'echo ran', ['--comment=svc:kelvin'])
    const job = await cluster.untilState(id, ENDED)
    await service.start()
    await service.untilOnline('kelvin')
    await service.untilOnline('celsius')
    expect([job.state, job.exitCode]).toEqual(['FAILED', '69:0'])
    expect(outputOf(job)).not.toContain('ran\n')
  })

  test('a server that is down at the end of a job has its session ended when it is back', async () => {
    const id = await cluster.submit(ADA, 'echo begun; sleep 3', ['--comment=svc:kelvin'])
    await untilSaid(id, 'begun')
    await service.stop('SIGKILL')
    expect((await cluster.untilState(id, ENDED)).state).toBe('COMPLETED')
    await until('the node to be idle', async () => (await cluster.nodeState()) === 'idle')
    await service.start()
    await service.untilOnline('kelvin')
    await service.untilOnline('celsius')
  })

  test('slurmd that is killed in the prolog or while a job runs keeps no session, and the job that runs goes on', async () => {
    const waiting = await cluster.submit(ADA, 'echo ran', ['--comment=svc:silent', '--no-requeue'])
    await until('the prolog to wait', async () => (await openSessions()).length === 1)
    await cluster.killNode()
    await cluster.startNode()
    await cluster.root(['scancel', String(waiting)])
    const first = await cluster.untilState(waiting, ENDED)
    expect([first.state, outputOf(first)]).toEqual(['CANCELLED', ''])
    const script = `echo begun; sleep 5; ${submitBell()}`
    const running = await cluster.submit(ADA, script, ['--comment=svc:kelvin', '--no-requeue'])
    await untilSaid(running, 'begun')
    await cluster.killNode()
    await cluster.startNode()
    const second = await cluster.untilState(running, ENDED)
    expect([second.state, / (00|11) +\d/.test(outputOf(second))]).toEqual(['COMPLETED', true])
  })

  test('the controller ends the session of a job whose node is lost', async () => {
    const id = await cluster.submit(ADA, 'echo begun; sleep 300', ['--comment=svc:kelvin', '--no-requeue'])
    await untilSaid(id, 'begun')
    await cluster.killNode(true)
    const job = await cluster.untilState(id, ENDED, 200_000)
    expect(job.state).toBe('NODE_FAIL')
    await until('its session to end', async () => (await openSessions()).length === 0)
    await cluster.startNode()
  })

  test('what a job reads submits as its user to its QPU only, and no longer than it', async () => {
    const script = `env | grep '^SVC_' | sort
      svc submit ${join(folders[1].path, 'bell.qasm')} --qpu celsius; echo "other $?"
      svc session start celsius; echo "start $?"
      cat ${cluster.folder}/slurm.env; echo "settings $?"
      cat ${cluster.folder}/run/*; echo "files $?"
      ${submitBell()}; sleep 4`
    const [mine, theirs] = [
      await cluster.submit(ADA, script, ['--comment=svc:kelvin']),
      await cluster.submit(BOB, 'sleep 8', ['--comment=svc:celsius']),
    ]
    await until('both to run', async () => (await openSessions()).length === 2)
    const file = join(cluster.folder, 'run', String(mine))
    await until('the file of the job', () => existsSync(file))
    expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, ADA])
    const job = await cluster.untilState(mine, ENDED)
    await cluster.untilState(theirs, ENDED)
    const said = outputOf(job)
    expect(said.match(/^SVC_\w+/gm)).toEqual(['SVC_ADDR', 'SVC_QPU', 'SVC_SESSION'])
    for (const line of ['other 1', 'start 2', 'settings 1', 'files 1', '█']) expect(said).toContain(line)
    const secret = /SVC_SESSION=(\S+)/.exec(said)?.[1] ?? ''
    const { out } = await cluster.root(['scontrol', 'show', 'job', String(mine)])
    expect([out.includes('svcs_'), service.log.includes('svcs_')]).toEqual([false, false])
    for (const name of ['slurmctld.log', 'slurmd.log'])
      expect(readFileSync(join(cluster.folder, name), 'utf8')).not.toContain('svcs_')
    const late = await service.call('POST', '/api/jobs', {
      token: secret,
      body: { circuits: [{ circuit: BELL }] },
    })
    expect([late.status, late.body['code']]).toEqual([403, 'session_ended'])
    expect((await service.call('GET', '/api/jobs', { token: secret })).status).toBe(401)
    const { body } = await service.call<unknown[]>('GET', '/api/jobs', { token: bob.token })
    expect(body).toEqual([])
  })
})

/** One side of a connection, and what came before the other was there. */
interface Side {
  other?: Bun.Socket<Side>
  early: Uint8Array[]
}

/** Passes connections on to a server and counts them. */
class CountingProxy {
  connections = 0
  readonly #listener: Bun.TCPSocketListener<Side>

  constructor(port: number) {
    const onward = {
      data: (socket: Bun.Socket<Side>, bytes: Uint8Array) => {
        if (socket.data.other) socket.data.other.write(bytes)
        else socket.data.early.push(bytes.slice())
      },
      close: (socket: Bun.Socket<Side>) => void socket.data.other?.end(),
      error: () => undefined,
    }
    this.#listener = Bun.listen<Side>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        ...onward,
        open: (socket) => {
          this.connections += 1
          socket.data = { early: [] }
          Bun.connect<Side>({
            hostname: '127.0.0.1',
            port,
            data: { other: socket, early: [] },
            socket: onward,
          }).then(
            (other) => {
              socket.data.other = other
              for (const bytes of socket.data.early) other.write(bytes)
            },
            () => socket.end(),
          )
        },
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.port}`
  }

  stop(): void {
    this.#listener.stop(true)
  }
}
