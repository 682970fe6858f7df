import { describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { listDevices } from '../../../src/devices/index.ts'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { placeChipFiles } from '../../support/executable/chip-files.ts'
import { runSvc, Service, SVC } from '../../support/executable/service.ts'
import { freePort, freePortRange } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('svc', () => {
  test('--help lists the commands, --version the version', async () => {
    using folder = temporaryFolder()
    const help = await runSvc(['--help'], { cwd: folder.path })
    for (const command of ['serve', 'driver', 'demo', 'superuser', 'doctor'])
      expect(help.out).toContain(command)
    expect(help.status).toBe(0)
    const version = await runSvc(['--version'], { cwd: folder.path })
    expect(version.out.trim()).toBe(manifest.version)
  })

  test('called as svc-driver it is svc driver', async () => {
    using folder = temporaryFolder()
    const link = join(folder.path, 'svc-driver')
    symlinkSync(SVC, link)
    const run = Bun.spawn([link, 'devices', '--operation', 'process'], { stdout: 'pipe', cwd: folder.path })
    const listed = (await new Response(run.stdout).text()).trim().split('\n')
    expect(listed).toEqual(listDevices('process'))
  })

  test.each([
    [['serv'], 'svc: unknown command serv; did you mean serve? See svc --help'],
    [['driver'], 'svc driver: no command specified; see svc driver --help'],
    [['driver', 'strat'], 'svc driver: unknown command strat; did you mean start? See svc driver --help'],
    [['serve', '--server-prot', '1'], '--server-prot'],
    [['demo', '--once=maybe'], '--once: bad value "maybe"; expected true or false'],
    [['superuser', 'create'], 'EMAIL'],
  ])('a wrong call %p names what is wrong and exits with 2', async (args, named) => {
    using folder = temporaryFolder()
    const { status, err } = await runSvc(args, { cwd: folder.path })
    expect(err).toContain(named)
    expect(status).toBe(2)
  })

  test.each([
    ['licenses | head -1', '0 0', ''],
    ['version > /dev/full', '1', 'The output cannot be written: the disk is full\n'],
    ['export --dir DATA > /dev/full', '1', 'The output cannot be written: the disk is full\n'],
    ['export --dir DATA | head -1', '0 0', ''],
  ])('svc %s ends with %s, and says %p', async (line, statuses, said) => {
    using folder = temporaryFolder()
    const data = join(folder.path, 'svc_data')
    if (line.includes('DATA'))
      await runSvc(['superuser', 'upsert', 'a@b.example', 'a long password'], { cwd: folder.path })
    const script = `"${SVC}" ${line.replace('DATA', data)}; echo "\${PIPESTATUS[@]}" >&2`
    const shell = Bun.spawn(['bash', '-c', script], { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] })
    expect(await new Response(shell.stderr).text()).toBe(`${said}${statuses}\n`)
  })

  test('neither .env nor bunfig.toml of the current folder has any effect', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'evil.ts'), 'console.log("foreign code ran")')
    writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
    writeFileSync(join(folder.path, '.env'), 'SVC_SERVER_PORT=not-a-port\n')
    const { out, status } = await runSvc(['superuser', 'list'], { cwd: folder.path })
    expect(out).not.toContain('foreign')
    expect(status).toBe(0)
  })
})

describe('svc serve', () => {
  test.each([
    [
      ['--server-port', 'eighty'],
      {},
      undefined,
      '--server-port: bad value "eighty"; expected a whole number',
    ],
    [[], { SVC_IDLE_THRESHOLD: '5 minutes' }, undefined, 'SVC_IDLE_THRESHOLD: bad value "5 minutes"'],
    [
      [],
      {},
      '# silence\njobTimeout: soon\n',
      'svc.config.yml, line 2: jobTimeout: bad value "soon"; expected a duration such as 720h, 30m or 90s',
    ],
    [[], {}, 'serverPort: 1\ndomain: [a\n', 'at line 3'],
    [['--config-file', '.'], {}, undefined, '--config-file: cannot read .; '],
    [['--config-file', 'absent.yml'], {}, undefined, '--config-file: cannot read absent.yml'],
  ])('a bad setting %p %p %p exits with 2: %p', async (args, env, file, message) => {
    using folder = temporaryFolder()
    if (file !== undefined) writeFileSync(join(folder.path, 'svc.config.yml'), file)
    const { status, err } = await runSvc(['serve', ...args], { cwd: folder.path, env })
    expect(err).toContain(message)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(2)
  })

  test('a taken port names the port and the flag', async () => {
    using folder = temporaryFolder()
    const port = freePort()
    using taken = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response('taken') })
    const args = ['serve', '--server-port', String(taken.port), '--https-port', '0']
    const { status, err } = await runSvc(args, { cwd: folder.path })
    expect(err).toContain(`port ${port}`)
    expect(err).toContain('--server-port')
    expect(status).toBe(1)
  })

  test('an address of another machine is reported as such, not as a taken port', async () => {
    using folder = temporaryFolder()
    const args = ['serve', '--server-port', '0', '--https-port', '0', '--listen-addr', '192.0.2.1']
    const { status, err } = await runSvc(args, { cwd: folder.path })
    expect(err).toContain('this machine has no address 192.0.2.1; set --listen-addr to one of its own')
    expect(status).toBe(1)
  })

  test('--help shows each flag with its variable and default', async () => {
    using folder = temporaryFolder()
    const { out } = await runSvc(['serve', '--help'], { cwd: folder.path })
    for (const text of [
      '--idle-threshold',
      'SVC_IDLE_THRESHOLD, default 5s',
      '--oauth2-providers',
      '--ip-addr',
      '\nQueue:\n',
      '\nRetention:\n',
    ]) {
      expect(out).toContain(text)
    }
    const version = await runSvc(['version', '--help'], { cwd: folder.path })
    expect(version.out).toStartWith('Print the version\n')
  })
})

describe('data for programs', () => {
  test.each([
    [['version', '--json'], { version: manifest.version }],
    [
      ['driver', 'devices', '--operation', 'monitor', '--json'],
      [{ operation: 'monitor', devices: ['cryostat_gen1'] }],
    ],
    [['superuser', 'list', '--json'], []],
  ])('%j prints one JSON document', async (args, document) => {
    using folder = temporaryFolder()
    const { out, status } = await runSvc(args, { cwd: folder.path })
    expect(JSON.parse(out)).toEqual(document)
    expect(status).toBe(0)
  })

  test('svc doctor and svc backup print JSON documents', async () => {
    using folder = temporaryFolder()
    const run = (...args: string[]) => runSvc(args, { cwd: folder.path })
    await run('superuser', 'upsert', 'ann@example.org', 'a long password')
    expect(JSON.parse((await run('doctor', '--json')).out)).toEqual({
      dir: 'svc_data',
      findings: [],
      repaired: [],
      accepted_loss: null,
    })
    expect(JSON.parse((await run('backup', 'a.db', '--json')).out)).toEqual({
      file: 'a.db',
      bytes: expect.any(Number),
      from_older_version: false,
      findings: [],
      removed: [],
    })
  })
})

describe('svc demo', () => {
  test('--once prints the counts of a Bell pair and exits with 0', async () => {
    using folder = temporaryFolder()
    const port = String(freePort())
    const args = ['demo', '--once', '--server-port', port, '--port-range-start', String(freePortRange(20))]
    const { out, status } = await runSvc(args, { cwd: folder.path })
    const counts = Object.fromEntries(
      [...out.matchAll(/^ {2}([01]{2}) +(\d+) /gm)].map(([, bits = '', count]) => [bits, Number(count)]),
    )
    expect(Object.keys(counts).sort()).toEqual(['00', '11'])
    expect((counts['00'] ?? 0) + (counts['11'] ?? 0)).toBe(1024)
    // Nothing about a server that has exited.
    expect(out).not.toContain('http')
    expect(out).not.toContain('@example.org  ')
    expect(status).toBe(0)
  })

  test('--cryostat prints the stored readings of a cool-down', async () => {
    using folder = temporaryFolder()
    const args = [
      'demo',
      '--once',
      '--cryostat',
      '--server-port',
      '0',
      '--port-range-start',
      String(freePortRange(20)),
    ]
    const { out, err, status } = await runSvc(args, { cwd: folder.path })
    // A busy machine reads later than the interval, and logs that.
    const lines = err.split('\n').filter((line) => line !== '' && !line.includes('ticks are skipped'))
    expect({ status, lines }).toEqual({ status: 0, lines: [] })
    const plates = [...out.matchAll(/^ {2}\d\d:\d\d:\d\d {2}.* t4k ([\d.]+) K /gm)].map(([, t]) => Number(t))
    expect(plates).toHaveLength(4)
    // It starts at room temperature and has a time constant of 8 h, which are 8 s here.
    expect(Math.max(...plates)).toBeLessThan(310)
    expect(plates.at(-1)).toBeLessThan(plates[0] ?? 0)
  })
})

describe('svc demo --chip-dir', () => {
  const demo = (folder: string) =>
    runSvc(
      [
        ...['demo', '--once', '--chip-dir', folder, '--server-port', '0'],
        ...['--port-range-start', String(freePortRange(20))],
      ],
      { cwd: folder },
    )

  test('calibrates the chip of the folder, with a routine of its own and a pinned value, and shows fits and values', async () => {
    using folder = temporaryFolder()
    const wanted = ['resonator_spectroscopy', 'punchout', 'qubit_01_spectroscopy', 'rabi_oscillations', 't1']
    const disabled = ROUTINES.filter(({ name }) => !wanted.includes(name)).map(
      ({ name }) => `  ${name}: {enabled: false}\n`,
    )
    const own = '  ./cpmg.ts#cpmg: {after: t1}\n'
    const config = `target_qubits: [q0]\npin: {q0: [coherence]}\nroutines:\n${own}${disabled.join('')}`
    await placeChipFiles(folder.path, { config, seed: 1 })
    const example = join(import.meta.dir, '../../../examples/cpmg.ts')
    copyFileSync(example, join(folder.path, 'cpmg.ts'))
    const { status, out, err } = await demo(folder.path)
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toMatch(/^ {2}█+ 100 % {2}\S/m)
    expect(out).not.toContain('\u001b')
    expect(out).toMatch(/^ {2}resonator_spectroscopy {6}6\.\d+ ± 0\.0{5,}\d\d GHz +[▁▂▃▄▅▆▇█]{24}$/m)
    expect(out).toMatch(/^ {2}cpmg +[\d.]+ ± [\d.]+ µs +[▁▂▃▄▅▆▇█]{24}$/m)
    expect(out).toMatch(/^ {2}t1 +[\d.]+ ± [\d.]+ µs +[▁▂▃▄▅▆▇█]{24}$/m)
    expect(out).toMatch(/^ {2}qubit +f01 +amp180/m)
    expect(out).toContain(' values are now in scheduler.device.yml')
    // This calibration has left out the readout and the gate.
    expect(out).toMatch(/^No Bell pair: .*not calibrated/m)
    const written = readFileSync(join(folder.path, 'scheduler.device.yml'), 'utf8')
    expect([written.includes('linewidth: '), written.includes('coherence')]).toEqual([true, false])
  })

  test('ends with the reason when the calibration fails', async () => {
    using folder = temporaryFolder()
    await placeChipFiles(folder.path, { config: 'routines: {rabbi: {}}\n', seed: 1 })
    const { status, err } = await demo(folder.path)
    expect(err).toContain('The calibration failed: line 1, column 19: routines.rabbi: unknown routine')
    expect(status).toBe(1)
  })
})

describe('svc superuser', () => {
  test('upsert, create, update, list and delete', async () => {
    using folder = temporaryFolder()
    const run = (...words: string[]) => runSvc(['superuser', ...words], { cwd: folder.path })
    expect((await run('create', 'Ann@Example.org', 'a long password')).status).toBe(0)
    const again = await run('create', 'ann@example.org', 'a long password')
    expect(again.err).toContain('already exists')
    expect(again.status).toBe(1)
    expect((await run('update', 'bob@example.org', 'a long password')).err).toContain('no superuser')
    expect((await run('upsert', 'bob@example.org', 'short')).err).toContain('at least 8')
    expect((await run('upsert', 'bob@example.org', 'a long password')).status).toBe(0)
    expect((await run('list')).out).toBe('ann@example.org\nbob@example.org\n')
    expect((await run('delete', 'bob@example.org')).status).toBe(0)
    expect((await run('delete', 'ann@example.org')).err).toContain('last superuser')
  })

  test('update and delete create no database', async () => {
    using folder = temporaryFolder()
    for (const words of [
      ['update', 'ann@example.org', 'a long password'],
      ['delete', 'ann@example.org'],
    ]) {
      const { err, status } = await runSvc(['superuser', ...words], { cwd: folder.path })
      expect(err).toBe('There is no database in svc_data; name its folder with --dir\n')
      expect(status).toBe(1)
    }
    expect(readdirSync(folder.path)).toEqual([])
  }, 30_000)

  test('list works while a server runs, create does not', async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path)
    await service.start()
    const listed = await runSvc(['superuser', 'list', '--json'], { cwd: folder.path })
    expect(JSON.parse(listed.out)).toMatchObject([{ email: 'admin@example.org' }])
    const made = await runSvc(['superuser', 'create', 'bob@example.org', 'a long password'], {
      cwd: folder.path,
    })
    expect(made.status).toBe(1)
    expect(made.err).toContain('in use')
    await service.stop()
  })

  test('takes the password from standard input', async () => {
    using folder = temporaryFolder()
    const args = ['superuser', 'upsert', 'ann@example.org']
    const made = await runSvc(args, { cwd: folder.path, stdin: 'a long password\n' })
    expect(made.status).toBe(0)
  })
})

describe('svc doctor', () => {
  test('reports that there is no database, with status 1', async () => {
    using folder = temporaryFolder()
    const { status, err } = await runSvc(['doctor'], { cwd: folder.path })
    expect(err).toContain('svc_data')
    expect(status).toBe(1)
  })
})
