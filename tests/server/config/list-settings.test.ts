import { expect, test } from 'bun:test'
import { listSettings } from '../../../src/server/config/list-settings.ts'
import { LiveConfig, readConfig, SETTINGS } from '../../../src/server/index.ts'

const PROVIDERS = JSON.stringify([{ name: 'google', clientId: 'lab', clientSecret: 'hidden-oauth' }])

function read(text: string, flags: Record<string, string> = {}) {
  const env = { SVC_SMTP_PASSWORD: 'hidden-mail', SVC_OAUTH2_PROVIDERS: PROVIDERS }
  return readConfig({ flags, env, file: { path: 'svc.config.yml', text } })
}

test('each setting has its value in force and the place where it was given', () => {
  const effective = read('siteName: Kelvin\n\nuserRate: 5:10\n', { serverPort: '99' })
  const settings = listSettings(effective.config, new LiveConfig(effective))
  expect(settings.map(({ name }) => name)).toEqual(Object.keys(SETTINGS))
  const byName = new Map(settings.map(({ name, ...rest }) => [name, rest]))
  expect(byName.get('serverPort')).toMatchObject({ value: '99', source: 'flag', place: '--server-port' })
  expect(byName.get('userRate')).toMatchObject({
    ...{ value: '5:10', default: '100:200', source: 'file', reloadable: true },
    place: 'svc.config.yml, line 3: userRate',
  })
  expect(byName.get('jobTimeout')).toMatchObject({ value: '20s', source: 'default', reloadable: false })
})

test('secrets are masked, also those of providers', () => {
  const effective = read('')
  const settings = listSettings(effective.config, new LiveConfig(effective))
  expect(JSON.stringify(settings)).not.toContain('hidden-')
  const secrets = settings.filter(({ secret }) => secret)
  expect(secrets.map(({ name, value, place }) => [name, value, place])).toEqual([
    ['database', '', '--database'],
    ['oauth2Providers', '********', 'SVC_OAUTH2_PROVIDERS'],
    ['smtpPassword', '********', 'SVC_SMTP_PASSWORD'],
  ])
})

test('after a reload, a setting that needs a restart keeps its value and shows the next one', () => {
  const started = read('siteName: Kelvin\nuserRate: 5:10\n')
  const live = new LiveConfig(started)
  live.replace(read('siteName: Celsius\nuserRate: 6:10\n'))
  const byName = new Map(listSettings(started.config, live).map((each) => [each.name, each]))
  expect(byName.get('siteName')).toMatchObject({ value: 'Kelvin', next_value: 'Celsius' })
  expect(byName.get('userRate')).toMatchObject({ value: '6:10', next_value: null })
})
