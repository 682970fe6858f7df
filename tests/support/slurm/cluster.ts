import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { SVC } from '../executable/service.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const SCRIPTS = join(import.meta.dir, '../../../packaging/slurm')
/** ClusterName: `cluster_accounts` has it. */
export const CLUSTER = 'lab'
/** How long a prolog waits. */
export const WAIT_SECONDS = 5
/** What `sacct` would say needs a database; slurmctld keeps its jobs long enough. */
const KEPT_SECONDS = 1_800

interface Ran {
  status: number
  out: string
  err: string
}

/** A job as `scontrol` shows it. */
export interface SlurmJob {
  id: number
  state: string
  exitCode: string
  output: string
}

/** A cluster of one node in a folder, with the scripts of `packaging/slurm`; needs root, Slurm and MUNGE. */
export class SlurmCluster {
  readonly folder: string
  #controller: Bun.Subprocess | undefined
  #node: Bun.Subprocess | undefined
  #munged: Bun.Subprocess | undefined

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Starts it; `env` is what `/etc/svc/slurm.env` has elsewhere. */
  static async start(folder: string, env: Readonly<Record<string, string>>): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(folder)
    // Users of jobs pass through the folder.
    chmodSync(folder, 0o711)
    for (const name of ['state', 'spool', 'bin', 'hooks', 'run']) mkdirSync(join(folder, name))
    chmodSync(join(folder, 'spool'), 0o755)
    cluster.#install(env)
    writeFileSync(join(folder, 'slurm.conf'), cluster.#configuration())
    await cluster.#authenticate()
    cluster.#controller = cluster.#daemon('slurmctld', ['-D', '-c'])
    await cluster.startNode()
    return cluster
  }

  /** The scripts with the paths of this folder, and an `svc` that counts its processes. */
  #install(env: Readonly<Record<string, string>>): void {
    const { folder } = this
    for (const name of readdirSync(SCRIPTS)) {
      const script = readFileSync(join(SCRIPTS, name), 'utf8')
        .replaceAll('/etc/svc/slurm.env', join(folder, 'slurm.env'))
        .replaceAll('/run/svc-slurm', join(folder, 'run'))
        .replaceAll(/\bsvc session/g, `${folder}/bin/svc session`)
      writeFileSync(join(folder, 'hooks', name), script, { mode: 0o755 })
    }
    const settings = Object.entries({ ...env, SVC_WAIT: WAIT_SECONDS })
    const lines = settings.map(([name, value]) => `${name}='${value}'\n`)
    writeFileSync(join(folder, 'slurm.env'), lines.join(''), { mode: 0o600 })
    copyFileSync(SVC, join(folder, 'bin/svc-program'))
    chmodSync(join(folder, 'bin/svc-program'), 0o755)
    const wrapper = `#!/bin/sh\necho $$ >>${folder}/processes\nexec ${folder}/bin/svc-program "$@"\n`
    writeFileSync(join(folder, 'bin/svc'), wrapper, { mode: 0o755 })
    writeFileSync(join(folder, 'processes'), '')
    chmodSync(join(folder, 'processes'), 0o666)
  }

  #configuration(): string {
    const { folder } = this
    const host = hostname().split('.')[0]
    const values = {
      ...{ ClusterName: CLUSTER, SlurmctldHost: `${host}(127.0.0.1)`, SlurmUser: 'root', SlurmdUser: 'root' },
      ...{ AuthType: 'auth/munge', CredType: 'cred/munge' },
      ...{ SlurmctldPort: freePort(), SlurmdPort: freePort() },
      ...{ StateSaveLocation: `${folder}/state`, SlurmdSpoolDir: `${folder}/spool` },
      ...{ SlurmctldPidFile: `${folder}/slurmctld.pid`, SlurmdPidFile: `${folder}/slurmd.pid` },
      ...{ SlurmctldLogFile: `${folder}/slurmctld.log`, SlurmdLogFile: `${folder}/slurmd.log` },
      ...{ ProctrackType: 'proctrack/pgid', TaskPlugin: 'task/none', SwitchType: 'switch/none' },
      ...{ SelectType: 'select/cons_tres', SelectTypeParameters: 'CR_Core', MpiDefault: 'none' },
      ...{ AccountingStorageType: 'accounting_storage/none', JobAcctGatherType: 'jobacct_gather/none' },
      ...{ PrologFlags: 'Alloc', Prolog: `${folder}/hooks/prolog.sh`, Epilog: `${folder}/hooks/epilog.sh` },
      ...{
        TaskProlog: `${folder}/hooks/task-prolog.sh`,
        EpilogSlurmctld: `${folder}/hooks/epilog-slurmctld.sh`,
      },
      ...{ MinJobAge: KEPT_SECONDS, KillWait: 2, ReturnToService: 2, SlurmdTimeout: 30, InactiveLimit: 0 },
      Licenses: 'svc_kelvin:2',
    }
    return `${Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n')}
NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES OverSubscribe=FORCE:8 MaxTime=60 State=UP
`
  }

  /** The MUNGE of the machine, or one that ends with the cluster. */
  async #authenticate(): Promise<void> {
    const isRunning = async () => (await this.root(['munge', '-n'])).status === 0
    if (await isRunning()) return
    mkdirSync('/run/munge', { recursive: true })
    await this.root(['chown', 'munge:munge', '/run/munge'])
    const words = ['setpriv', '--reuid=munge', '--regid=munge', '--clear-groups', 'munged', '-F']
    this.#munged = Bun.spawn(words, { stdio: ['ignore', 'ignore', 'ignore'] })
    await until('munged to respond', isRunning)
  }

  #daemon(program: string, args: string[]): Bun.Subprocess {
    return Bun.spawn([program, ...args], {
      // Hooks run with what the machine has, not with what the test has.
      env: { SLURM_CONF: join(this.folder, 'slurm.conf'), PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  }

  /** Starts slurmd, after a kill too, and waits until the node takes jobs. */
  async startNode(): Promise<void> {
    this.#node = this.#daemon('slurmd', ['-D'])
    await until('the node to be idle', async () => /^(idle|mix|alloc|comp)/.test(await this.nodeState()))
  }

  /** Ends slurmd with SIGKILL, and with `isWhole` all that runs of it on the node. */
  async killNode(isWhole = false): Promise<void> {
    const children = isWhole ? await this.#steps() : []
    this.#node?.kill('SIGKILL')
    await this.#node?.exited
    for (const pid of children) process.kill(pid, 'SIGKILL')
  }

  /** The processes that keep the jobs of this node. */
  async #steps(): Promise<number[]> {
    const { out } = await this.root(['pgrep', '-f', `^slurmstepd: .*`])
    return out.split('\n').filter(Boolean).map(Number)
  }

  async nodeState(): Promise<string> {
    return (await this.root(['sinfo', '-h', '-o', '%T'])).out.trim()
  }

  /** Why nodes take no jobs; '' = they do. */
  async drainReasons(): Promise<string> {
    return (await this.root(['sinfo', '-h', '-R', '-o', '%E'])).out.trim()
  }

  root(words: string[]): Promise<Ran> {
    return this.#run(words, this.folder)
  }

  /** Runs a command as a user of the cluster, in a folder of its own. */
  as(uid: number, words: string[]): Promise<Ran> {
    const home = this.homeOf(uid)
    return this.#run(['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...words], home)
  }

  homeOf(uid: number): string {
    const home = join(this.folder, `home-${uid}`)
    mkdirSync(home, { recursive: true })
    chownSync(home, uid, uid)
    return home
  }

  async #run(words: string[], cwd: string): Promise<Ran> {
    const env = {
      SLURM_CONF: join(this.folder, 'slurm.conf'),
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: cwd,
    }
    const ran = Bun.spawn(words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, status] = await Promise.all([
      new Response(ran.stdout).text(),
      new Response(ran.stderr).text(),
      ran.exited,
    ])
    return { status, out, err }
  }

  /** Submits a script as a user of the cluster; returns the id of the job. */
  async submit(uid: number, script: string, args: string[]): Promise<number> {
    const file = join(this.homeOf(uid), `job-${Bun.hash(script)}.sh`)
    writeFileSync(file, `#!/bin/sh\nPATH=${this.folder}/bin:$PATH\n${script}\n`, { mode: 0o755 })
    const { out, err, status } = await this.as(uid, ['sbatch', '--parsable', ...args, file])
    if (status !== 0) throw new Error(err)
    return Number(out.trim())
  }

  /** All tasks of a job. */
  async jobs(id: number): Promise<SlurmJob[]> {
    const { out } = await this.root(['scontrol', 'show', 'job', '-o', String(id)])
    return out
      .split('\n')
      .filter((line) => line.startsWith('JobId='))
      .map((line) => {
        const field = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(line)?.[1] ?? ''
        return {
          id: Number(field('JobId')),
          state: field('JobState'),
          exitCode: field('ExitCode'),
          output: field('StdOut'),
        }
      })
  }

  /** Waits until a job is in one of these states. */
  untilState(id: number, states: RegExp, timeoutMs = 60_000): Promise<SlurmJob> {
    return until(
      `job ${id} to be ${states}`,
      async () => {
        const [job] = await this.jobs(id)
        return job && states.test(job.state) && job
      },
      { timeoutMs, intervalMs: 100 },
    )
  }

  /** Number of `svc` processes so far. */
  processes(): number {
    return readFileSync(join(this.folder, 'processes'), 'utf8').split('\n').length - 1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.root(['scancel', '--full', '-u', 'nobody,daemon'])
    const all = [this.#node, this.#controller, this.#munged]
    for (const each of all) each?.kill('SIGTERM')
    await Promise.race([Promise.all(all.map((each) => each?.exited)), Bun.sleep(10_000)])
    for (const each of all) each?.kill('SIGKILL')
  }
}

/** States of a job that has ended. */
export const ENDED =
  /^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|BOOT_FAIL|DEADLINE|PREEMPTED|OUT_OF_MEMORY)$/
