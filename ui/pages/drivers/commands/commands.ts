import type { Operation } from '../../../api/model/equipment/drivers.ts'
import type { DriverArguments } from './options.ts'

/** Everything that the commands of a driver name. */
export interface DriverSetup extends DriverArguments {
  name: string
  operation: Operation
  device: string
  svcAddr: string
  caFingerprint: string
  /** Version of the drivers that match the server. */
  version: string
  /** The access token, as long as it is known. */
  token?: string | undefined
}

/** A name as the server stores it. */
export function driverName(text: string): string {
  return text.trim().replaceAll('-', '_')
}

/** A word of a POSIX shell, quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./#-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A quoted word of an environment file of systemd. */
function environmentWord(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** A quoted word of a command in a unit, where % and $ have a meaning. */
export function unitWord(text: string): string {
  return environmentWord(text.replaceAll('%', '%%').replaceAll('$', '$$$$'))
}

/** The folder of a driver that is started by hand: one that drivers accept, once the shell has read `~`. */
function folderOf(name: string): string {
  return `~/svc-driver/${name}`
}

/**
 * Commands that store the token and the secrets. Where the token is not known, or for a secret, `cat` reads
 * it from the terminal: an argument would be visible to other users.
 */
export function storeCommands(setup: DriverSetup): string {
  const folder = folderOf(setup.name)
  return [`mkdir -p -m 0700 ${folder}`, ...storeLines(setup, folder)].join('\n')
}

function storeLines({ token, secrets }: DriverSetup, folder: string): string[] {
  const store = (file: string, source: string) => ` (umask 077 && ${source} > ${folder}/${file})`
  return [
    // The space at the start keeps the line out of the history of most shells.
    store('token', token === undefined ? 'cat' : `printf %s ${shellWord(token)}`),
    ...secrets.map((key) => store(key, 'cat')),
  ]
}

/** The command that starts the driver on the machine at the equipment. */
export function startCommand(setup: DriverSetup): string {
  const folder = folderOf(setup.name)
  const [start = '', ...options] = startLines(setup, {
    folder,
    data: `${folder}/data`,
    // Outside of quotes and after the equals sign: `~` is not read there, `$HOME` is.
    secrets: `"$HOME"/svc-driver/${setup.name}`,
  })
  const variables = setup.variables.map(({ key, value }) => `${key}=${shellWord(value)}`)
  return [...variables, `svc ${start}`, ...options].join(NEXT_LINE)
}

const NEXT_LINE = ' \\\n  '

/** The words after `svc`, by lines. `secrets` is the folder of the secrets as it is written within a word. */
function startLines(
  { operation, device, svcAddr, caFingerprint, options, secrets: keys }: DriverSetup,
  { folder, data, secrets }: { folder: string; data: string; secrets: string },
): string[] {
  return [
    `driver start --operation ${operation} --device ${shellWord(device || 'DEVICE')}`,
    `--svc-addr ${shellWord(svcAddr)}`,
    `--ca-fingerprint ${caFingerprint}`,
    `--ca-file ${folder}/svc.ca.pem`,
    `--token-file ${folder}/token`,
    `--data-dir ${data}`,
    ...options.map(({ key, value }) => `-o ${shellWord(`${key}=${value}`)}`),
    ...keys.map((key) => `-o ${key}=@${secrets}/${key}`),
  ]
}

/** The user of the image. */
const CONTAINER_USER = 65_532

/** Commands that store the token and the secrets for a container, as root. */
export function storeForContainer(setup: DriverSetup): string {
  const folder = `/etc/svc-driver/${setup.name}`
  return [
    `install -d -m 0700 -o ${CONTAINER_USER} -g ${CONTAINER_USER} ${folder} /var/svc-driver/${setup.name}`,
    ...storeLines(setup, folder),
    `chown ${CONTAINER_USER}:${CONTAINER_USER} ${folder}/*`,
  ].join('\n')
}

/** The command that starts the driver in a container, now and at each boot. */
export function containerCommand(setup: DriverSetup): string {
  const { name, variables, version } = setup
  const settings = '/etc/svc-driver'
  return [
    `docker run --detach --name ${name} --restart unless-stopped --stop-timeout 30`,
    '--read-only --cap-drop ALL --security-opt no-new-privileges',
    `-v /etc/svc-driver/${name}:${settings} -v /var/svc-driver/${name}:/var/svc-driver`,
    // Drivers that share an instrument lock it by a file there.
    '-v /tmp:/tmp',
    ...variables.map(({ key, value }) => `-e ${shellWord(`${key}=${value}`)}`),
    `svc:${version}`,
    ...startLines(setup, { folder: settings, data: '/var/svc-driver', secrets: settings }),
  ].join(NEXT_LINE)
}

/**
 * Whether `cat` reads the token or a secret from the terminal. The commands can then not be pasted together:
 * `cat` would read those that follow.
 */
export function isReadFromTerminal({ token, secrets }: DriverSetup): boolean {
  return token === undefined || secrets.length > 0
}

/** The path of a service's settings, without their ending. */
const settingsOf = (name: string) => `/etc/svc-driver/${name}`

/** The user of the service, whose files other drivers cannot read. */
const userOf = (name: string) => `svcd-${name.toLowerCase().slice(0, 27)}`

/** The file from which the service reads its token; mode 0600, of root. */
export function tokenFile({ token }: DriverSetup): string {
  return `${token ?? 'TOKEN'}\n`
}

/** The environment file of the service. */
export function environmentFile({ name, svcAddr, caFingerprint, variables }: DriverSetup): string {
  const data = `/var/svc-driver/${name}`
  const values: [string, string][] = [
    ['SVC_ADDR', svcAddr],
    ['SVC_CA_FINGERPRINT', caFingerprint],
    ['SVC_CA_FILE', `${data}/svc.ca.pem`],
    ['SVC_DATA_DIR', data],
    ...variables.map(({ key, value }): [string, string] => [key, value]),
  ]
  return `${values.map(([key, value]) => `${key}=${environmentWord(value)}`).join('\n')}\n`
}

/** The unit of systemd; the same as `install-driver.sh` writes. */
export function unitFile({ name, operation, device, options, secrets }: DriverSetup): string {
  const data = `/var/svc-driver/${name}`
  const all = [
    ...options.map(({ key, value }) => `${key}=${value}`),
    ...secrets.map((key) => `${key}=@${settingsOf(name)}.${key}`),
  ]
  const start = [
    `ExecStart=/usr/local/bin/svc-driver start --operation ${operation} --device ${unitWord(device || 'DEVICE')} --token-file -`,
    ...all.map((option) => `-o ${unitWord(option)}`),
  ]
  return `[Unit]
Description=svc driver ${name} (${operation})
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
${start.join(' \\\n  ')}
EnvironmentFile=${settingsOf(name)}.env
# Opened by systemd: the code of the device runs as the same user and must not read it.
StandardInput=file:${settingsOf(name)}.token
StandardOutput=journal
WorkingDirectory=${data}
User=${userOf(name)}
UMask=0077
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2
TimeoutStopSec=30
KillMode=mixed
CapabilityBoundingSet=
NoNewPrivileges=true
ProtectSystem=strict
# Drivers that share an instrument lock it by a file in /tmp: it is the same one for all of them.
ReadWritePaths=${data} /tmp
ProtectHome=read-only

[Install]
WantedBy=multi-user.target
`
}

/** Commands that make what the unit needs, as root, before its files are written. */
export function prepareCommands({ name, secrets }: DriverSetup): string {
  const user = userOf(name)
  return [
    'install -m 0755 svc /usr/local/bin/svc && ln -sfn svc /usr/local/bin/svc-driver',
    'getent group svc-driver || groupadd --system svc-driver',
    `id ${user} || useradd --system --gid svc-driver --home-dir /var/svc-driver --shell /usr/sbin/nologin ${user}`,
    `install -d -m 0750 -o ${user} -g svc-driver /var/svc-driver/${name} && install -d /etc/svc-driver`,
    `install -m 0600 /dev/null ${settingsOf(name)}.env`,
    `install -m 0600 /dev/null ${settingsOf(name)}.token`,
    ...secrets.map((key) => `install -m 0600 -o ${user} /dev/null ${settingsOf(name)}.${key}`),
  ].join('\n')
}

/** Commands that start the service now and at each boot. */
export function enableCommands({ name }: Pick<DriverSetup, 'name'>): string {
  return `systemctl daemon-reload\nsystemctl enable --now ${name}\njournalctl -fu ${name}`
}

/** A fingerprint in groups of four digits, as people compare it. */
export function groupFingerprint(text: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(' ')
}
