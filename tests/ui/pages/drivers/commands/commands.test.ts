import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  containerCommand,
  type DriverSetup,
  driverName,
  enableCommands,
  environmentFile,
  groupFingerprint,
  isReadFromTerminal,
  prepareCommands,
  shellWord,
  startCommand,
  storeCommands,
  storeForContainer,
  tokenFile,
  unitFile,
  unitWord,
} from '../../../../../ui/pages/drivers/commands/commands.ts'

const SETUP: DriverSetup = {
  name: 'boreas_cryo',
  operation: 'monitor',
  device: 'cryostat_gen1',
  svcAddr: 'http://10.0.0.5:8090',
  caFingerprint: 'ab'.repeat(32),
  version: '2026.11.0',
  token: 'svc_dt_1',
  options: [{ key: 'channels', value: 'a.b:K,c' }],
  secrets: ['api_key'],
  variables: [{ key: 'SVC_CRYOSTAT_CA_FILE', value: '/etc/svc-driver/my key.pem' }],
}

test('driverName() is the name that the server stores', () => {
  expect(driverName(' boreas-cryo-2 ')).toBe('boreas_cryo_2')
})

/** What a shell makes of a text: its words. */
async function wordsOf(text: string): Promise<string[]> {
  const shell = Bun.spawn(['sh', '-c', `printf '%s\\0' ${text}`], { env: { HOME: '/home/x' } })
  return (await new Response(shell.stdout).text()).split('\0').slice(0, -1)
}

test('shellWord() is read by a shell as the one word that it was', async () => {
  const texts = fc.string({
    unit: fc.constantFrom(...'a \'"$\\`!*~;|&#%\n=-') as fc.Arbitrary<string>,
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect(await wordsOf(shellWord(text))).toEqual([text])
    }),
    { numRuns: 40 },
  )
})

test('startCommand() is one command whose words are those that a driver reads', async () => {
  const command = startCommand(SETUP)
  expect(command).toStartWith("SVC_CRYOSTAT_CA_FILE='/etc/svc-driver/my key.pem' \\\n  svc driver start")
  const words = await wordsOf(command)
  expect(words).toContain('channels=a.b:K,c')
  expect(words).toContain('api_key=@/home/x/svc-driver/boreas_cryo/api_key')
  expect(words).toContain('/home/x/svc-driver/boreas_cryo/token')
  expect(command).not.toContain('svc_dt_1')
})

test('storeCommands() write the token and ask for secrets', () => {
  expect(storeCommands(SETUP)).toBe(
    [
      'mkdir -p -m 0700 ~/svc-driver/boreas_cryo',
      ' (umask 077 && printf %s svc_dt_1 > ~/svc-driver/boreas_cryo/token)',
      ' (umask 077 && cat > ~/svc-driver/boreas_cryo/api_key)',
    ].join('\n'),
  )
  expect(storeCommands({ ...SETUP, token: undefined })).toContain('(umask 077 && cat > ')
})

test('containerCommand() starts the image with the words that a driver reads, without the token', async () => {
  const words = await wordsOf(containerCommand(SETUP))
  expect(words.slice(0, 2)).toEqual(['docker', 'run'])
  const image = words.indexOf('svc:2026.11.0')
  expect(words.slice(0, image)).toContain('SVC_CRYOSTAT_CA_FILE=/etc/svc-driver/my key.pem')
  expect(words.slice(image + 1, image + 7)).toEqual([
    'driver',
    'start',
    '--operation',
    'monitor',
    '--device',
    'cryostat_gen1',
  ])
  expect(words.slice(-6)).toEqual([
    '--data-dir',
    '/var/svc-driver',
    '-o',
    'channels=a.b:K,c',
    '-o',
    'api_key=@/etc/svc-driver/api_key',
  ])
  expect(words).not.toContain('svc_dt_1')
})

test('storeForContainer() writes the files of the folder that the container sees, for its user', () => {
  expect(storeForContainer(SETUP)).toBe(
    [
      'install -d -m 0700 -o 65532 -g 65532 /etc/svc-driver/boreas_cryo /var/svc-driver/boreas_cryo',
      ' (umask 077 && printf %s svc_dt_1 > /etc/svc-driver/boreas_cryo/token)',
      ' (umask 077 && cat > /etc/svc-driver/boreas_cryo/api_key)',
      'chown 65532:65532 /etc/svc-driver/boreas_cryo/*',
    ].join('\n'),
  )
})

test('unitWord() keeps %, $, quotes and backslashes', () => {
  expect(unitWord('50%')).toBe('"50%%"')
  expect(unitWord('$HOME "x" \\')).toBe('"$$HOME \\"x\\" \\\\"')
})

test('unitFile() names its files, and neither the token nor a secret', () => {
  const unit = unitFile(SETUP)
  expect(unit).toContain(
    'ExecStart=/usr/local/bin/svc-driver start --operation monitor --device "cryostat_gen1" --token-file - \\\n  -o "channels=a.b:K,c" \\\n  -o "api_key=@/etc/svc-driver/boreas_cryo.api_key"\n',
  )
  expect(unit).toContain('EnvironmentFile=/etc/svc-driver/boreas_cryo.env\n')
  expect(unit).toContain('StandardInput=file:/etc/svc-driver/boreas_cryo.token\n')
  expect(unit).toContain('User=svcd-boreas_cryo\n')
  expect(unit).toContain('ReadWritePaths=/var/svc-driver/boreas_cryo /tmp\n')
  expect(unit).not.toContain('StateDirectory')
  expect(unit).not.toContain('svc_dt_1')
})

test('environmentFile() has the addresses and tokenFile() the token, or a word in place of an unknown one', () => {
  expect(environmentFile(SETUP)).toBe(
    `SVC_ADDR="http://10.0.0.5:8090"
SVC_CA_FINGERPRINT="${SETUP.caFingerprint}"
SVC_CA_FILE="/var/svc-driver/boreas_cryo/svc.ca.pem"
SVC_DATA_DIR="/var/svc-driver/boreas_cryo"
SVC_CRYOSTAT_CA_FILE="/etc/svc-driver/my key.pem"
`,
  )
  expect(tokenFile(SETUP)).toBe('svc_dt_1\n')
  expect(tokenFile({ ...SETUP, token: undefined })).toBe('TOKEN\n')
})

test('the commands of the service make its folders and start it', () => {
  expect(prepareCommands(SETUP)).toContain(
    'install -m 0600 -o svcd-boreas_cryo /dev/null /etc/svc-driver/boreas_cryo.api_key',
  )
  expect(enableCommands(SETUP)).toContain('systemctl enable --now boreas_cryo')
})

test('groupFingerprint() separates groups of four digits', () => {
  expect(groupFingerprint('abcdef0123')).toBe('abcd ef01 23')
})

test('isReadFromTerminal() is false only where one paste stores everything and starts', () => {
  const cases = [{}, { secrets: [] }, { secrets: [], token: undefined }]
  expect(cases.map((change) => isReadFromTerminal({ ...SETUP, ...change }))).toEqual([true, false, true])
})
