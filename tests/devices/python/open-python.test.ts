import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { openDevice, readOptions, resolveDevice, StartupError } from '../../../src/devices/index.ts'
import type { Operation } from '../../../src/protocol/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { PYTHON_ENV, SDK_FOLDER, skipsPython } from '../../support/python/devices.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { part, rows } from '../../support/whole.ts'
import { payloadOf, runJob } from '../support/jobs.ts'

const skip = skipsPython('devices in Python')
const LAB = join(SDK_FOLDER, 'tests')

/** Where modules are looked for. */
interface Place {
  /** Folders of modules besides the package and the devices of its tests. */
  paths?: readonly string[]
  /** Whether the package is among them. */
  hasSdk?: boolean
  given?: string
}

/** Resolves as the driver does, with what the device says about its end. */
async function resolve(
  device: string,
  { paths = [], hasSdk = true, given = '' }: Place = {},
  operation: Operation = 'process',
) {
  const path = [...paths, ...(hasSdk ? [PYTHON_ENV.PYTHONPATH, LAB] : [])].join(':')
  const ends: string[] = []
  const env = { ...process.env, ...PYTHON_ENV, PYTHONPATH: path }
  const python = { given, beside: '', clock: systemClock, log: silentLog, env }
  const onEnd = (how: string) => ends.push(how)
  return resolveDevice({ operation, device, cwd: '/tmp', python: { ...python, onEnd } })
}

/** All reasons why a start is refused. */
async function reasonsOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StartupError)) throw new Error(`not refused: ${String(error)}`)
  return [...error.reasons]
}

async function readLab(device: string, pairs: readonly string[], env: Record<string, string> = {}) {
  const resolved = await resolve(device)
  return readOptions({ device: resolved, pairs, cwd: '/tmp', home: homedir(), dataDir: '/tmp/svc-data', env })
}

/** What `python -m svc_driver try` says about the same options. */
async function readInPython(pairs: readonly string[]): Promise<string[]> {
  const words = pairs.flatMap((pair) => ['-o', pair])
  const run = Bun.spawn(['python3', '-m', 'svc_driver', 'try', 'lab:Everything', ...words], {
    cwd: LAB,
    env: { ...process.env, ...PYTHON_ENV },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return (await new Response(run.stderr).text()).trimEnd().split('\n')
}

test.skipIf(skip)('options of a device in Python are converted, with its defaults', async () => {
  const given = ['needed=x', 'int_=7', 'items=a, b', 'secret=@@at', 'bool_=off']
  const { options, raw, environment } = await readLab('lab:Everything', given, { GAUGE_KEY: ' k ' })
  expect(options).toEqual({
    ...{ bool_: false, int_: 7, number: undefined, seconds: 0.5, string: 'text', choice: 'one' },
    ...{ items: ['a', 'b'], url: undefined, secret: '@at', path: undefined, needed: 'x' },
  })
  expect(raw).toMatchObject({ int_: '7' })
  expect(environment).toEqual({ GAUGE_KEY: 'k' })
})

test.skipIf(skip)(
  'a device in Python that declares options refuses others, unless it takes them',
  async () => {
    expect(await reasonsOf(readLab('lab:Coin', ['bais=1']))).toEqual([
      'unknown option bais for process device Coin',
      '  did you mean bias? known options: bias, data_dir, job_timeout',
    ])
    const taken = await readLab('lab:Open', ['settle=2', 'color=red'])
    expect([taken.options, taken.raw]).toEqual([{ settle: 2 }, { settle: '2', color: 'red' }])
    expect((await readLab('lab:Waiter', ['color=red'])).raw).toEqual({ color: 'red' })
    expect((await readLab('lab:Slow', [])).jobTimeoutMs).toBe(50)
    expect((await readLab('lab:Slow', ['job_timeout=7'])).jobTimeoutMs).toBe(7_000)
  },
)

const WRONG = [
  ...['bool_=maybe', 'int_=99', 'number=-2', 'seconds=61', 'string=', 'choice=three', 'items=a,,b'],
  ...['url=ftp://x', 'secret=@/no/such/file', 'path=/etc/passwd', 'verbose'],
]

test.skipIf(skip)(
  'every rule of options holds in the words of any device, also without the driver',
  async () => {
    const reasons = await reasonsOf(readLab('lab:Everything', WRONG))
    expect(reasons).toEqual([
      'invalid option verbose; expected key=value',
      'missing required option needed (for example -o needed=here)',
      'bad value for -o bool_: "maybe"; expected true or false',
      'bad value for -o int_: "99"; expected a whole number from 1 to 9',
      'bad value for -o number: "-2"; expected a number of at least -1',
      'bad value for -o seconds: "61"; expected a number of seconds from 0 to 60',
      'bad value for -o string: the value is empty',
      'bad value for -o choice: "three"; expected one of one, two',
      'bad value for -o items: an item is empty; separate items by single commas',
      'bad value for -o url: not an http or https address',
      'bad value for -o path: /etc/passwd is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
      expect.stringMatching(/^bad value for -o secret: cannot read \/no\/such\/file; /),
    ])
    const inPython = await readInPython(WRONG)
    expect(inPython.slice(0, -1)).toEqual(reasons.slice(0, -1))
    expect(inPython.at(-1)).toStartWith('bad value for -o secret: ')
  },
)

const REFUSED: [device: string, reason: string | RegExp, operation?: Operation][] = [
  ['lab:Nobody', /^device lab:Nobody: lab has no Nobody; it defines Coin, Miscount, /],
  ['nowhere:X', "device nowhere:X cannot be imported: ModuleNotFoundError: No module named 'nowhere'"],
  [
    'lab:counts_result',
    /^device lab:counts_result is not a class; derive one from svc_driver\.ProcessDevice, /,
  ],
  ['lab:Gauge', 'device lab:Gauge is a monitor device, not process'],
  ['lab:Coin', 'device lab:Coin is a process device, not calibrate', 'calibrate'],
  ['lab.Nobody', /^device lab\.Nobody: lab has no Nobody; /],
  ['builtins:dict', "device builtins:dict does not name its operation; add operation: 'process'"],
]
test.skipIf(skip).each(rows(REFUSED, 4))(
  '%s is refused with the reason',
  async (device, reason, operation = 'process') => {
    const [first] = await reasonsOf(resolve(device, {}, operation))
    if (typeof reason === 'string') expect(first).toBe(reason)
    else expect(first).toMatch(reason)
  },
)

test.skipIf(skip)(
  'a Python without the package says how to install it, unless only a name was unknown',
  async () => {
    const place = { hasSdk: false }
    expect(await reasonsOf(resolve('lab:Coin', place))).toEqual([
      expect.stringMatching(
        /^device lab:Coin is written in Python: .*python3 does not have the package svc-driver: install/,
      ),
    ])
    expect(await reasonsOf(resolve('qpu9', place))).toEqual([
      expect.stringMatching(/^unknown process device qpu9; known devices: aer_sim, mock, [a-z_, ]*$/),
    ])
    const given = Bun.which('python3') ?? ''
    const both = await reasonsOf(resolve('qpu9', { ...place, given }))
    expect(both).toHaveLength(2)
    expect(both[1]).toContain('does not have the package')
  },
)

/** A folder with packages that advertise devices, as pip leaves them. */
function advertise(folder: string, lines: readonly string[]) {
  const info = join(folder, 'lab_devices-1.0.dist-info')
  mkdirSync(info)
  writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: lab-devices\nVersion: 1.0\n')
  writeFileSync(join(info, 'entry_points.txt'), ['[svc_driver.devices]', ...lines, ''].join('\n'))
}

test.skipIf(skip)('installed devices have a name, hyphens as underscores; a built-in one wins', async () => {
  using folder = temporaryFolder()
  advertise(folder.path, ['chalmers-coin = lab:Coin', 'mock = lab:Coin', 'broken = nowhere:Device'])
  const place = { paths: [folder.path] }
  const found = await resolve('chalmers-coin', place)
  expect([found.def.name, found.label, found.imported]).toEqual(['chalmers_coin', 'chalmers_coin', false])
  const read = (pairs: string[]) =>
    readOptions({ device: found, pairs, cwd: '/tmp', home: homedir(), dataDir: '/tmp/svc-data' })
  expect(() => read(['color=blue'])).toThrow(
    'unknown option color for process device chalmers_coin\n  known options: bias, data_dir, is_dummy, ',
  )
  expect((await resolve('mock', place)).def.options).toHaveProperty('latency')
  expect(await reasonsOf(resolve('broken', place))).toEqual([
    "device broken cannot be imported: ModuleNotFoundError: No module named 'nowhere'",
  ])
  const [unknown] = await reasonsOf(resolve('coin', place))
  expect(unknown).toEndWith(', scheduler_b, broken, chalmers_coin, mock')
})

/** A package in the place of `svc_driver` whose worker runs `body`. */
function fakeSdk(folder: string, body: string): Place {
  const sdk = join(folder, 'svc_driver')
  mkdirSync(sdk, { recursive: true })
  writeFileSync(join(sdk, '__init__.py'), '')
  const frame =
    'import json, os, struct, sys\ndef frame(text): return struct.pack(">I", len(text)) + text.encode()\n'
  writeFileSync(join(sdk, 'worker.py'), `${frame}${body}\n`)
  return { paths: [folder], hasSdk: false }
}

test.skipIf(skip)('a worker of another protocol, a silent one and a noisy one are refused', async () => {
  using folder = temporaryFolder()
  const reasons = (body: string) => reasonsOf(resolve('lab:Coin', fakeSdk(folder.path, body)))
  const write = (text: string) => `os.write(1, frame(${JSON.stringify(text)}))`
  expect(
    await reasons(`${write('{"m":"hello","protocols":[2,3],"sdk":"2031.1.0"}')}\nsys.stdin.read()`),
  ).toEqual([
    'startup error: svc-driver 2031.1.0 in Python speaks version 2, 3 of the device protocol, this driver ' +
      'version 1; bring them together with pip install -U ./drivers/python in a checkout of svc',
  ])
  expect(await reasons('print("no license", file=sys.stderr); os._exit(3)')).toEqual([
    'startup error: the device process in Python ended (code 3)\n  no license',
  ])
  expect(await reasons('print("Welcome"); sys.stdout.flush(); sys.stdin.read()')).toEqual([
    `startup error: the device process in Python wrote what is not a message (a frame of ${0x57656c63} bytes; at ` +
      'most 67108864 are allowed); nothing but svc_driver may write to its standard output',
  ])
})

test.skipIf(skip)('whatever a worker writes, it is refused or understood, and nothing hangs', async () => {
  using folder = temporaryFolder()
  const rng = createRng(16)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(rng.next() * items.length)] as T
  const values = ['1', '"x"', 'null', '[]', '{}', '[1]', '1e999', '{"m":"hello"}', '"process"', 'true']
  const keys = ['protocols', 'task', 'reasons', 'options', 'name', 'level', 'message', 'call', 'payload']
  const names = [
    'hello',
    'described',
    'refused',
    'ready',
    'done',
    'log',
    'event',
    'calibrate_now',
    'unheard',
    '',
  ]
  const random = () => {
    const entries = Array.from({ length: 4 }, () => `"${pick(keys)}":${pick(values)}`)
    const text = `{"m":"${pick(names)}",${entries.join(',')}}`
    return rng.next() < 0.2 ? text.slice(0, Math.floor(rng.next() * text.length)) : text
  }
  for (let round = 0; round < part(6, 2); round += 1) {
    const texts = Array.from({ length: 20 }, random)
    const body = `${texts.map((text) => `os.write(1, frame(${JSON.stringify(text)}))`).join('\n')}\nos._exit(0)`
    const reasons = await reasonsOf(resolve('lab:Coin', fakeSdk(folder.path, body)))
    expect(reasons.join('')).not.toBe('')
  }
})

test.skipIf(skip)(
  'whatever the driver writes, the worker ends or waits for more, and never answers nonsense',
  async () => {
    const rng = createRng(17)
    for (let round = 0; round < part(4, 2); round += 1) {
      const worker = Bun.spawn(['python3', '-u', '-m', 'svc_driver.worker'], {
        env: { ...process.env, ...PYTHON_ENV },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      const bytes = Uint8Array.from({ length: 200 }, () => Math.floor(rng.next() * 256))
      // A short length, so that the frame is complete.
      if (round % 2 === 0) bytes.set([0, 0, 0, 50])
      worker.stdin.write(bytes)
      await worker.stdin.end()
      const answered = await new Response(worker.stdout).text()
      expect(answered.slice(4)).toMatch(/^\{"m":"hello".*?\}$/)
      expect(await worker.exited).toBe(1)
    }
  },
)

test.skipIf(skip)('a result does not wait for the description, which follows it', async () => {
  using folder = temporaryFolder()
  const marker = join(folder.path, 'may-describe')
  writeFileSync(
    join(folder.path, 'slow.py'),
    `import os, time
from lab import Coin
class Slow(Coin):
    jobs = 0
    def describe(self):
        while self.jobs and not os.path.exists(${JSON.stringify(marker)}):
            time.sleep(0.01)
        return {"qubits": [{}] * (1 + self.jobs)} if self.jobs < 2 else 1 / 0
    def run(self, job, io):
        self.jobs += 1
        return super().run(job, io)
`,
  )
  const device = await resolve('slow:Slow', { paths: [folder.path] })
  const pairs = ['bias=0.25']
  const options = readOptions({ device, pairs, cwd: '/tmp', home: homedir(), dataDir: folder.path })
  const { signal } = new AbortController()
  const slow = await openDevice(device, { name: 'slow', options, log: silentLog, signal, clock: systemClock })
  if (!('run' in slow)) throw new Error('it runs no jobs')
  await slow.start?.()
  expect<unknown>(await slow.describe?.()).toEqual({ qubits: [{}] })
  const program = 'OPENQASM 3.0; input float t; qubit[1] q; bit[1] c; rx(t) q[0]; c[0] = measure q[0];'
  const payload = payloadOf([{ circuit: program, parameter_values: [[1]] }])
  expect((await runJob(slow, payload)).circuit_results).toHaveLength(1)
  const described = slow.describe?.()
  writeFileSync(marker, '')
  expect<unknown>(await described).toEqual({ qubits: [{}, {}] })
  // One that fails leaves the earlier one.
  await runJob(slow, payload)
  expect<unknown>(await slow.describe?.()).toEqual({ qubits: [{}, {}] })
  await slow.stop?.({ extend: () => undefined })
})
