import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { toYaml } from '../../../../ui/admin/server/model.ts'

const setting = (name: string, value: string, more = {}) => ({
  ...{ name, value, flag: '', variable: '', group: '', help: '', default: '', place: '' },
  ...{ source: 'flag' as const, reloadable: false, secret: false, next_value: null, ...more },
})

test('the config file has what was given, without secrets', () => {
  const text = toYaml([
    setting('dir', '/var/lib/svc'),
    setting('userRate', '100'),
    setting('smtpPassword', '******', { secret: true }),
    setting('siteName', 'svc', { source: 'default' }),
  ])
  expect(text).toBe('dir: /var/lib/svc\nuserRate: 100\n# smtpPassword: secret\n')
  expect(toYaml([])).toBe('# Every setting has its default.\n')
})

test('YAML reads every value back as the same text', () => {
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('no', 'null', '01', '1e3', '~', '- a', 'a: b', '#'),
  )
  fc.assert(
    fc.property(value, (text) => {
      expect(String(parse(toYaml([setting('name', text)])).name)).toBe(text)
    }),
  )
})
