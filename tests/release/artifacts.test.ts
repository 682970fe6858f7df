import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { run } from '../../scripts/release/run.ts'
import { hashOf } from '../../src/cli/verify/checksums.ts'
import { startSvc } from '../support/executable/background-process.ts'
import { readJob, submit } from '../support/executable/job-calls.ts'
import { runSvc, Service } from '../support/executable/service.ts'
import { freePort } from '../support/free-port.ts'
import { commandBlocks } from '../support/guides/command-blocks.ts'
import { makeSigner } from '../support/release/signer.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(600_000)

const ROOT = join(import.meta.dir, '../..')
const { version } = manifest
/** The programs that unpack and install what a release consists of; root, because the roots are real. */
const PROGRAMS = ['mmdebstrap', 'skopeo', 'umoci', 'rpm', 'cpio', 'lintian', 'go', 'qemu-aarch64-static']
const missing = PROGRAMS.filter((name) => !Bun.which(name))
const hasPrograms = missing.length === 0 && process.getuid?.() === 0
if (!hasPrograms && process.env['CI'] === 'true')
  throw new Error(
    `a release is installed as root with ${PROGRAMS.join(', ')}; missing: ${missing.join(', ')}`,
  )

let folder: TemporaryFolder
let dist: string
/** What the release has for this machine: `npm run release` needs no other build. */
let executable: string
beforeAll(async () => {
  if (!hasPrograms) return
  folder = temporaryFolder()
  dist = join(folder.path, 'dist')
  await makeRelease()
  await run(['tar', '-xzf', file('linux-x64.tar.gz'), '-C', folder.path])
  const unpacked = join(folder.path, `svc-${version}-linux-x64`)
  executable = join(unpacked, 'svc')
  expect(statSync(join(unpacked, 'install-driver.sh')).mode & 0o777).toBe(0o755)
})
afterAll(() => folder?.[Symbol.dispose]())

async function makeRelease(): Promise<void> {
  // `npm run release` has made one and has it tested.
  const given = process.env['SVC_DIST']
  if (given !== undefined) {
    await run(['cp', '-a', given, dist])
    return
  }
  const release = Bun.spawn(
    [process.execPath, 'scripts/release/release.ts', version, '--quick', '--dist', dist],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  // 4: nobody has signed it.
  expect(await release.exited).toBe(4)
}

/** Path of the one file of the release whose name ends with `end`. */
function file(end: string): string {
  const found = readdirSync(dist).filter((name) => name.endsWith(end))
  expect(found).toHaveLength(1)
  return join(dist, found[0] ?? '')
}

function newFolder(name: string): string {
  const path = join(folder.path, name)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  return path
}

/** Runs in a root with its own processes and without a network but loopback. */
function inRoot(root: string, user: string, script: string): Promise<string> {
  const inside = `ip link set lo up 2>/dev/null; mount -t proc proc '${root}/proc'; mount --rbind /dev '${root}/dev'
    exec chroot --userspec='${user}' '${root}' "$@"`
  const command = ['unshare', '--mount', '--pid', '--fork', '--net', 'sh', '-c', inside, 'sh']
  return run([...command, ...script.split(' ')])
}

describe.skipIf(!hasPrograms)('a release', () => {
  test('has the same executable in every package of an architecture', async () => {
    for (const [target, deb, rpm, wheel, npm] of [
      ['linux-x64', 'amd64', 'x86_64', 'x86_64', 'linux-x64'],
      ['linux-arm64', 'arm64', 'aarch64', 'aarch64', 'linux-arm64'],
    ] as const) {
      const at = newFolder(`same-${target}`)
      const unpack = async (name: string, command: string, path: string): Promise<[string, string]> => {
        mkdirSync(join(at, name))
        await run(['sh', '-c', command], { cwd: join(at, name) })
        return [name, await hashOf(join(at, name, path))]
      }
      const base = `svc-${version}-${target}`
      const hashes = await Promise.all([
        unpack('tar', `tar -xzf ${file(`${target}.tar.gz`)}`, `${base}/svc`),
        unpack('deb', `dpkg-deb -x ${file(`_${deb}.deb`)} .`, 'usr/bin/svc'),
        unpack(
          'rpm',
          `rpm2cpio ${file(`.${rpm}.rpm`)} | cpio -id --quiet --no-absolute-filenames`,
          'usr/bin/svc',
        ),
        unpack(
          'wheel',
          `python3 -m zipfile -e ${file(`manylinux_2_17_${wheel}.whl`)} .`,
          `svc_server-${version}.data/scripts/svc`,
        ),
        unpack('npm', `tar -xzf ${file(`svc-server-${npm}-${version}.tgz`)}`, 'package/svc'),
      ])
      const [[, expected]] = hashes
      expect(hashes.map(([name]) => [name, expected])).toEqual(hashes)
      const bill = JSON.parse(readFileSync(file(`${target}.cdx.json`), 'utf8'))
      expect(bill.metadata.component.hashes[0].content).toBe(expected)
    }
  })

  test('is verified once it is signed', async () => {
    const signer = makeSigner()
    const list = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
    writeFileSync(join(dist, 'SHA256SUMS.minisig'), signer.sign(list, `svc ${version}`))
    const { status, out } = await runSvc(['verify', 'dist', '--key', signer.key], {
      cwd: folder.path,
      executable,
    })
    expect([status, out]).toEqual([0, expect.stringContaining(`Files of svc ${version}`)])
    const { subject } = JSON.parse(readFileSync(file('provenance.intoto.json'), 'utf8'))
    expect(subject.length).toBe(list.trim().split('\n').length - 1)
  })

  test('has a deb that Debian accepts, installs and purges; the data stay', async () => {
    await run(['lintian', '--fail-on', 'error,warning', '--allow-root', file('_amd64.deb')])
    const root = join(folder.path, 'debian')
    await run(['mmdebstrap', '--quiet', '--variant=minbase', '--include=systemd,iproute2', 'bookworm', root])
    await run(['cp', file('_amd64.deb'), join(root, 'svc.deb')])
    const said = await inRoot(root, 'root', 'dpkg -i /svc.deb')
    expect(said).toContain('systemctl enable --now svc')
    expect((await inRoot(root, 'root', 'svc version')).trim()).toBe(version)
    expect(await inRoot(root, 'root', 'stat -c %U:%G:%a /etc/svc/svc.config.yml')).toBe('root:svc:640\n')
    mkdirSync(join(root, 'var/lib/svc'), { recursive: true })
    await inRoot(root, 'root', 'chown svc:svc /var/lib/svc')
    writeFileSync(
      join(root, 'trial.sh'),
      `ip link set lo up; cd /var/lib/svc
svc serve --config-file /etc/svc/svc.config.yml >/tmp/log 2>&1 & server=$!
for i in $(seq 60); do svc health --ready && break; sleep 0.5; done
svc health --ready; status=$?; kill $server; wait $server; exit $status
`,
    )
    expect(await inRoot(root, 'svc:svc', 'sh /trial.sh')).toContain('http://127.0.0.1:8090: ready')
    writeFileSync(join(root, 'etc/svc/svc.config.yml'), 'ipAddr: 10.0.0.5\n')
    await inRoot(root, 'root', 'dpkg -i --force-confold /svc.deb')
    expect(readFileSync(join(root, 'etc/svc/svc.config.yml'), 'utf8')).toContain('10.0.0.5')
    writeFileSync(join(root, 'etc/svc/svc.env'), 'SVC_SMTP_PASSWORD=secret\n')
    expect(await inRoot(root, 'root', 'dpkg --purge svc')).toContain('The data of svc stay')
    expect(readdirSync(join(root, 'etc/svc'))).toEqual(['svc.env'])
    expect(existsSync(join(root, 'var/lib/svc/svc_data/svc.db'))).toBe(true)
  })

  test('has a deb that upgrades a server while a job runs', async () => {
    const root = join(folder.path, 'debian')
    const within = ['chroot', '--userspec=root:root', root]
    const older = newFolder('older')
    await run(['dpkg-deb', '-R', file('_amd64.deb'), older])
    const control = join(older, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*/m, `Version: ${version}-0`))
    await run(['dpkg-deb', '-Zgzip', '-z1', '-b', older, join(root, 'older.deb')])
    await run([...within, 'dpkg', '-i', '/older.deb'])
    // Stands for systemd, which cannot run here: a stop that waits for the end, and the start by this test.
    mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
    writeFileSync(
      join(root, 'usr/local/bin/systemctl'),
      `#!/bin/sh
echo "$*" >>/run/calls
[ "$1" = try-restart ] || exit 0
kill $(cat /run/svc.pid) && while kill -0 $(cat /run/svc.pid); do sleep 0.1; done 2>/dev/null
`,
      { mode: 0o755 },
    )
    const data = join(root, 'var/lib/svc')
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data)
    await Service.install(data, { executable })
    await run([...within, 'chown', '-R', 'svc:svc', '/var/lib/svc'])
    const inside = `mount -t proc proc '${root}/proc'; mount --rbind /dev '${root}/dev'
      exec chroot --userspec=svc:svc '${root}' sh -c 'cd /var/lib/svc && exec "$@"' sh "$@"`
    const prefix = ['unshare', '--mount', 'sh', '-c', inside, 'sh']
    await using service = Service.elsewhere(data, { executable: '/usr/bin/svc', prefix })
    await service.start()
    writeFileSync(join(root, 'run/svc.pid'), String(service.pid))
    const qpu = await service.createQpu('pair')
    const args = service.driverArgs('pair', qpu.fingerprint, 'mock', ['latency=8'])
    await using driver = startSvc(args, { cwd: data, executable, env: { SVC_ACCESS_TOKEN: qpu.token } })
    await service.untilOnline('pair')
    const { token } = await service.createUser(100)
    const id = await submit(service, token, { qpu_target: 'pair' })
    const read = () => readJob(service, token, id)
    await until('the job to run', async () => (await read()).status === 'running')
    await run([...within, 'dpkg', '-i', '/svc.deb'])
    expect(readFileSync(join(root, 'run/calls'), 'utf8')).toContain('try-restart svc.service')
    expect(await service.ended()).toBe(0)
    await service.start()
    expect((await read()).status).toBe('running')
    await until('the job to end', async () => (await read()).status === 'completed', { timeoutMs: 60_000 })
    expect(driver.process.exitCode).toBeNull()
    const { attempt, charged_seconds: charged, results } = await read()
    expect([attempt, charged]).toEqual([1, expect.any(Number)])
    const counts = results?.circuit_results[0]?.counts ?? {}
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(100)
    const query = ['dpkg-query', '-W', '-f', '$' + '{Version}', 'svc']
    expect(await run([...within, ...query])).toBe(`${version}-1`)
    await service.stop()
    const { status } = await runSvc(['doctor'], { cwd: data, executable })
    expect(status).toBe(0)
  })

  test('has a wheel that runs without a network', async () => {
    const at = newFolder('wheel')
    await run(['python3', '-m', 'venv', at])
    await run([join(at, 'bin/pip'), 'install', '--quiet', '--no-index', file('manylinux_2_17_x86_64.whl')])
    expect((await run([join(at, 'bin/svc'), 'version'])).trim()).toBe(version)
    expect((await run([join(at, 'bin/python'), '-m', 'svc_server', 'version'])).trim()).toBe(version)
  })

  test('has npm packages that run without a network; a signal ends the server cleanly', async () => {
    const at = newFolder('npm')
    writeFileSync(join(at, 'package.json'), '{"private":true}')
    const packages = [file(`svc-server-linux-x64-${version}.tgz`), file(`svc-server-${version}.tgz`)]
    await run(['npm', 'install', '--offline', '--silent', ...packages], { cwd: at })
    const svc = join(at, 'node_modules/.bin/svc')
    expect((await run([svc, 'version'])).trim()).toBe(version)
    const port = String(freePort())
    const server = Bun.spawn([svc, 'serve', '--server-port', port, '--https-port', '0'], {
      cwd: at,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const isHealthy = async () =>
      (await runSvc(['health', '--url', `http://127.0.0.1:${port}`], { cwd: at, executable })).status === 0
    await until('the server to respond', isHealthy)
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  })

  test('is installed by the commands of its page as printed, to the counts of a Bell pair', async () => {
    const printed = commandBlocks('docs/how-to/install.md').filter(({ code }) =>
      /(?:pip|npm) install .*dist/.test(code),
    )
    expect(printed).toHaveLength(2)
    for (const [at, { code }] of printed.entries()) {
      const cwd = newFolder(`readme-${at}`)
      symlinkSync(dist, join(cwd, 'dist'))
      const command = ['unshare', '--net', 'bash', '-euo', 'pipefail', '-c', `ip link set lo up; ${code}`]
      expect(await run(command, { cwd })).toMatch(/^ +(?:00|11) +\d+/m)
    }
  })

  test('has an image whose server runs as a user without rights', async () => {
    const at = newFolder('image')
    mkdirSync(join(at, 'layout'))
    await run(['tar', '-xf', file('image.oci.tar'), '-C', join(at, 'layout')])
    const copy = ['skopeo', 'copy', '--quiet', '--override-arch', 'amd64']
    await run([...copy, `oci:${at}/layout:${version}`, `oci:${at}/one:${version}`])
    await run(['umoci', 'unpack', '--image', `${at}/one:${version}`, join(at, 'bundle')])
    const { process: started } = JSON.parse(readFileSync(join(at, 'bundle/config.json'), 'utf8'))
    expect(started).toMatchObject({
      user: { uid: 65_532 },
      cwd: '/var/lib/svc',
      args: ['/usr/bin/svc', 'serve', '--listen-addr', '0.0.0.0'],
    })
    const root = join(at, 'bundle/rootfs')
    for (const name of ['proc', 'dev']) mkdirSync(join(root, name), { recursive: true })
    expect(await inRoot(root, '65532:65532', '/usr/bin/svc demo --once')).toContain('00')
  })

  test('runs on arm64', async () => {
    const root = newFolder('arm64')
    await run([
      'mmdebstrap',
      '--quiet',
      '--variant=extract',
      '--arch=arm64',
      '--include=libc6,libgcc-s1',
      'bookworm',
      root,
    ])
    const at = newFolder('arm64-svc')
    await run(['tar', '-xzf', file('linux-arm64.tar.gz'), '-C', at, '--strip-components=1'])
    const svc = ['qemu-aarch64-static', '-L', root, join(at, 'svc')]
    expect((await run([...svc, 'version'])).trim()).toBe(version)
    const port = String(freePort())
    const server = Bun.spawn([...svc, 'serve', '--server-port', port, '--https-port', '0'], {
      cwd: at,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const isHealthy = async () =>
      (await runSvc(['health', '--url', `http://127.0.0.1:${port}`], { cwd: at, executable })).status === 0
    await until('the server to respond', isHealthy, { timeoutMs: 120_000 })
    server.kill('SIGTERM')
    await server.exited
    expect(await run([...svc, 'doctor'], { cwd: at })).toContain('no problems found')
  })
})
