import { join } from 'node:path'
import { $ } from 'bun'
import { whyNot } from '../faults/prerequisites.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'

const ROOT = join(import.meta.dir, '../../..')

/** A machine of its own as far as systemd, processes and files are concerned. */
export interface SystemdNamespace extends AsyncDisposable {
  /** Runs a command as root on the machine. */
  run(command: readonly string[], env?: Record<string, string>): Promise<CommandRun>
}

/** How a command ended. */
export interface CommandRun {
  status: number
  out: string
  err: string
}

/** Why no systemd can be started here, or undefined. */
export function whyNoSystemd(): string | undefined {
  const why = whyNot('unshare', 'nsenter', 'systemctl', 'runuser', 'useradd')
  if (why !== undefined) return why
  const made = Bun.spawnSync(['unshare', '--mount', '--pid', '--cgroup', '--fork', 'true'])
  if (made.exitCode !== 0) return `no namespaces can be made here: ${made.stderr.toString().trim()}`
  return undefined
}

/** Joins a control group of its own, `$1`, so that systemd sees no other, and makes the namespaces. */
const ENTER = `
set -e
groups=/sys/fs/cgroup
[ -f $groups/cgroup.controllers ] || groups=$groups/systemd
mkdir $groups/$1
echo $$ > $groups/$1/cgroup.procs
exec unshare --mount --pid --ipc --uts --cgroup --fork --kill-child sh -ec "$2" boot "$3" "$4"
`

/**
 * Starts systemd on a copy of the files of this machine that is dropped at the end: an overlay in `$1`, with
 * the repository `$2`. Of the units of this machine only the targets that services refer to exist.
 */
const BOOT = `
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
root=$1/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mkdir -p "$root$2"
mount --bind "$2" "$root$2"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  mkdir "$root/sys/fs/cgroup/systemd"
  mount -t cgroup -o none,name=systemd,xattr cgroup "$root/sys/fs/cgroup/systemd"
fi
for empty in run lib/systemd/system lib/systemd/system-generators; do
  mount -t tmpfs -o mode=755 tmpfs "$root/$empty"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
rm -rf "$root/etc/systemd/system"
mkdir "$root/etc/systemd/system"
for target in sysinit basic network-online multi-user shutdown; do
  printf '[Unit]\\nDescription=%s\\nDefaultDependencies=no\\n' $target > "$root/lib/systemd/system/$target.target"
done
exec chroot "$root" env -i container=svc PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  /lib/systemd/systemd --system --unit=multi-user.target --log-target=null
`
let opened = 0

/** Starts a machine with its own systemd, processes and files, and the network of this one. */
export async function openSystemd(): Promise<SystemdNamespace> {
  opened += 1
  const group = `svc-test-${process.pid}-${opened}`
  const folder = temporaryFolder()
  const machine = Bun.spawn(['sh', '-c', ENTER, 'enter', group, BOOT, folder.path, ROOT], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = new Response(machine.stderr).text()
  const close = async () => {
    machine.kill('SIGKILL')
    await machine.exited
    await until('its control groups to be empty', () => removeGroups(group))
    folder[Symbol.dispose]()
  }
  const run = async (command: readonly string[], env: Record<string, string> = {}) => {
    const children = await Bun.file(`/proc/${machine.pid}/task/${machine.pid}/children`).text()
    const enter = ['nsenter', '--all', '--root', '--wd', '--target', children.trim(), '--']
    const made = Bun.spawn([...enter, ...command], {
      env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err] = await Promise.all([new Response(made.stdout).text(), new Response(made.stderr).text()])
    return { status: await made.exited, out, err }
  }
  try {
    await until('systemd to run', async () => {
      if (machine.exitCode !== null) return true
      return (await run(['systemctl', 'is-active', 'multi-user.target'])).out === 'active\n'
    })
    if (machine.exitCode !== null) throw new Error(`systemd ended: ${await said}`)
  } catch (error) {
    await close()
    throw error
  }
  return { run, [Symbol.asyncDispose]: close }
}

/** Removes the control group and those inside of it. Returns whether none is left. */
async function removeGroups(group: string): Promise<boolean> {
  await $`find /sys/fs/cgroup -maxdepth 4 -depth -type d -path ${`*/${group}*`} -exec rmdir {} +`
    .nothrow()
    .quiet()
  const left = await $`find /sys/fs/cgroup -maxdepth 4 -type d -path ${`*/${group}*`}`
    .nothrow()
    .quiet()
    .text()
  return left.trim() === ''
}
