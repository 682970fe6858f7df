import { describe, expect, test } from 'bun:test'
import { checkSource, checkText } from '../../../scripts/source-checks/file.ts'
import { scanSource } from '../../../scripts/source-text.ts'

/** What `checkSource` finds in the lines, without the file: `line rule`. */
function rulesIn(file: string, ...lines: string[]): string[] {
  const source = lines.join('\n')
  return checkSource({ file, source, ...scanSource(source) }).map(({ line, rule }) => `${line} ${rule}`)
}

describe('checkSource() on layers', () => {
  test.each([
    ['src/base/log.ts', '../protocol/index.ts', 'layer'],
    ['src/protocol/frame.ts', '../db/index.ts', 'layer'],
    ['src/protocol/events/a.ts', '../../base/index.ts', undefined],
    ['src/protocol/events/a.ts', '../../base/log.ts', 'face'],
    ['src/devices/process/mock/index.ts', '../../../qasm/index.ts', undefined],
    ['src/devices/process/mock/index.ts', '../../../server/index.ts', 'layer'],
    ['src/protocol/zmtp/frames.ts', '../index.ts', 'face'],
    ['src/devices/process/mock/index.ts', '../../pulse/index.ts', undefined],
    ['src/driver/connection/link.ts', '../../devices/index.ts', undefined],
    ['src/driver/connection/link.ts', '../../server/index.ts', 'layer'],
    ['src/server/jobs/dispatch/pick.ts', '../../../db/index.ts', undefined],
    ['src/server/jobs/dispatch/pick.ts', '../../../devices/index.ts', 'layer'],
    ['src/server/jobs/dispatch/pick.ts', '../../../../package.json', 'layer'],
    ['src/cli/version.ts', '../../package.json', undefined],
    ['src/cli/serve/web.ts', '../../../web/dashboard/index.html', undefined],
    ['src/cli/main.ts', '../server/index.ts', undefined],
    ['src/cli/main.ts', '../server/config/settings.ts', 'face'],
    ['src/cli/main.ts', '../qasm/index.ts', undefined],
    ['src/cli/main.ts', '../../ui/main.tsx', 'layer'],
    ['ui/api/api.ts', '../../src/protocol/index.ts', undefined],
    ['ui/editor/check.ts', '../../src/qasm/index.ts', undefined],
    ['ui/api/api.ts', '../../src/base/index.ts', 'layer'],
    ['ui/api/live.ts', '../../src/base/portable/backoff.ts', undefined],
    ['ui/api/live.ts', '../../src/base/loop.ts', 'layer'],
    ['ui/api/api.ts', '../../tests/support/x.ts', 'layer'],
    ['src/db/x.ts', '../../tests/support/x.ts', 'layer'],
    ['src/other/x.ts', '../base/index.ts', 'layer'],
    ['scripts/a.ts', '../src/server/tls/certificate-store.ts', undefined],
    ['tests/a.test.ts', '../src/server/tls/certificate-store.ts', undefined],
    ['bench/a.ts', '../src/devices/pulse/compile.ts', undefined],
  ])('%s importing %s', (file, specifier, rule) => {
    const forms = [`import { a } from '${specifier}'`, `import type { A } from '${specifier}'`]
    for (const form of forms) {
      const found = rulesIn(file, form).filter((each) => each !== '1 folder order')
      expect(found).toEqual(rule === undefined ? [] : [`1 ${rule}`])
    }
  })

  test.each([
    ['http/app.ts', '../tls/certificate-store.ts', true],
    ['http/app.ts', '../drivers/hub.ts', false],
    ['http/app.ts', '../jobs/routes.ts', false],
    ['tls/https.ts', '../http/app.ts', false],
    ['jobs/submission/submit.ts', '../../auth/acting-user.ts', true],
    ['auth/oauth2/login.ts', '../../records/service.ts', false],
    ['bookings/routes.ts', '../jobs/view.ts', false],
    ['records/write/create.ts', '../read/list.ts', true],
    ['records/read/list.ts', '../write/create.ts', false],
    ['drivers/hub.ts', '../tls/certificate-store.ts', true],
    ['drivers/receive.ts', '../jobs/attempts/finish.ts', false],
    ['jobs/submission/submit.ts', '../../qpus/availability.ts', true],
    ['jobs/dispatch/dispatcher.ts', '../../drivers/hub.ts', true],
    ['jobs/dispatch/dispatcher.ts', '../attempts/finish.ts', true],
    ['jobs/attempts/finish.ts', '../dispatch/dispatcher.ts', false],
    ['jobs/attempts/finish.ts', '../../events/log.ts', false],
    ['events/handlers.ts', '../jobs/attempts/finish.ts', true],
    ['events/handlers.ts', '../config/settings.ts', true],
    ['http/app.ts', '../context.ts', true],
    ['http/app.ts', '../index.ts', false],
    ['context.ts', './driver-hub.ts', true],
    ['context.ts', './drivers/hub.ts', false],
    ['context.ts', './jobs/attempts/finish.ts', false],
    ['services.ts', './config/settings.ts', false],
    ['routes.ts', './create-server.ts', false],
    ['index.ts', './events/handlers.ts', true],
  ])('src/server/%s importing %s', (file, specifier, isAllowed) => {
    const rules = rulesIn(`src/server/${file}`, `import { a } from '${specifier}'`)
    expect(rules.length === 0).toBe(isAllowed)
    if (!isAllowed && specifier !== '../index.ts') expect(rules).toEqual(['1 folder order'])
  })

  test('keeps modules of the runtime out of code for the browser', () => {
    expect(rulesIn('src/qasm/syntax/lexer.ts', "import { join } from 'node:path'")).toEqual([
      '1 module node:path',
    ])
    expect(rulesIn('ui/main.tsx', "import { Glob } from 'bun'")).toEqual(['1 module bun'])
    expect(rulesIn('src/db/sqlite/connection.ts', "import { Database } from 'bun:sqlite'")).toEqual([])
    expect(rulesIn('src/db/x.ts', "import { setTimeout as pause } from 'node:timers/promises'")).toEqual([
      '1 module node:timers/promises',
    ])
  })
})

describe('checkSource() on banned calls', () => {
  test.each([
    ['const a = Date.now()', 'Date.now'],
    ['const a = Date\n  .now', 'Date.now'],
    ['const a = new Date()', 'new Date()'],
    ['const a = new Date', 'new Date'],
    [`const a = \`\${new Date()}\``, 'new Date()'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ['globalThis.setInterval(f, 1)', 'globalThis.setInterval'],
    ['await Bun.sleep(1)', 'Bun.sleep'],
    ['const a = Math.random()', 'Math.random'],
    ['const a = process.env', 'process.env'],
    ["const a = Bun.env['X']", 'Bun.env'],
    ['console.log(1)', 'console.log'],
    ['const a = { ...{ b, c }, d }', '...{'],
    ['switch (field.kind) {}', 'switch(field.kind'],
    ['if (field?.kind === textKind) return', 'field?.kind ==='],
    ["const a = found.field.kind.publicType !== 'text'", 'kind.publicType !=='],
  ])('finds %s', (code, rule) => {
    expect(rulesIn('src/server/jobs/x.ts', '', code)).toEqual([`2 banned ${rule}`])
    expect(rulesIn('tests/x.test.ts', code)).toEqual([])
  })

  test.each([
    'const a = new Date(ms)',
    'const a: Date = b',
    'const a = new DateRange()',
    'socket.setTimeout(5000)',
    'const text = "Date.now()"',
    '// setTimeout(f) is banned',
    'const pattern = /Math.random()/',
    'this.console.log(1)',
    'const a = field.kind.decode(stored)',
    'const a = { ...b, ...(c ? { d } : {}) }',
  ])('lets %s pass', (code) => {
    expect(rulesIn('src/server/jobs/x.ts', code)).toEqual([])
  })

  test.each([
    ["const a = mkdtempSync('x')", 'mkdtempSync'],
    ['while (!isDone) await Bun.sleep(1)', 'while(!isDone)await Bun.sleep'],
    ['await Bun.sleep(1_001)', 'Bun.sleep(1_001'],
    ['await Bun.sleep(2500)', 'Bun.sleep(2500'],
    ['await Bun.sleep(60_000)', 'Bun.sleep(60_000'],
  ])('finds %s in tests', (code, rule) => {
    expect(rulesIn('tests/db/x.test.ts', code)).toEqual([`1 banned ${rule}`])
    expect(rulesIn('tests/support/x.ts', code)).toEqual([])
  })

  test.each(['Bun.sleep(1_000)', 'Bun.sleep(900)', 'clock.sleep(60_000)', 'Bun.sleep(2 * ms)'])(
    'lets %s pass in tests',
    (code) => {
      expect(rulesIn('tests/db/x.test.ts', code)).toEqual([])
    },
  )

  test('allows each call where it belongs', () => {
    expect(rulesIn('src/base/clock.ts', 'setTimeout(f, Date.now() + Math.random())')).toEqual([])
    expect(rulesIn('src/base/log.ts', 'const a = process.env')).toEqual(['1 banned process.env'])
    expect(rulesIn('src/cli/main.ts', 'console.log(process.env)')).toEqual([])
    expect(rulesIn('src/cli/main.ts', 'Date.now()')).toEqual(['1 banned Date.now'])
    expect(rulesIn('ui/main.tsx', 'setTimeout(f, 1)')).toEqual([])
    expect(rulesIn('ui/main.tsx', 'crypto.randomUUID()')).toEqual(['1 banned crypto.randomUUID'])
  })
})

describe('checkText()', () => {
  // Put together here, so that this file does not breach the rules it tests.
  const machine = ['', 'work', 'main'].join('/')
  const host = ['registry', 'npmjs', 'org'].join('.')

  test.each([
    ['docs/a.md', `one\ntwo ${machine}`, '2'],
    ['README.md', `https://${host}/x`, '1'],
    ['.npmrc', `save=true\n\n${'registry'}=https://example.org`, '3'],
    ['.npmrc', `@me:${'registry'} = https://example.org`, '1'],
    ['package-lock.json', '{\n"resolved": "https://example.org"}', '2'],
    ['sdk/js/package-lock.json', '{"resolved" : 1}', '1'],
  ])('finds a trace of one machine in %s: %j', (file, text, line) => {
    expect(checkText(file, text).map((breach) => String(breach.line))).toEqual([line])
  })

  test('finds fixed ports in tests, except where settings are parsed', () => {
    const text = `['--server-${'port'}', '8090'] and --${'port'}-range-start 31000`
    expect(checkText('tests/db/x.test.ts', text).length).toBe(2)
    expect(checkText('tests/server/config/config.test.ts', text)).toEqual([])
    expect(checkText('docs/a.md', text)).toEqual([])
    expect(checkText('tests/db/x.test.ts', `['--server-${'port'}', '0']`)).toEqual([])
  })

  test.each([
    ['docs/a.md', `https://example.org${machine} and src${machine}`],
    ['.npmrc', 'omit-lockfile-registry-resolved=true'],
    ['src/a.ts', '{ "resolved": 1 }'],
  ])('lets %s with %j pass', (file, text) => {
    expect(checkText(file, text)).toEqual([])
  })

  test.each([
    ['src/db/store/jobs/jobs.ts', "'SELECT id FROM leases ORDER BY rowid'"],
    ['src/db/integrity/doctor.ts', "'SELECT max(rowid) FROM leases'"],
    ['src/db/records/references.ts', "'SELECT value FROM json_each($ids)'"],
    ['src/server/jobs/list.ts', "`SELECT body ->> '$.unit' FROM events`"],
    ['src/db/query/query.ts', "'SELECT id FROM users INDEXED BY users_email'"],
  ])('keeps SQL portable: finds a breach in %s: %s', (file, text) => {
    expect(checkText(file, text)).toHaveLength(1)
  })

  test.each([
    ['src/db/engine/dialect.ts', "'json_each($list)'; 'rowid'"],
    ['src/db/schema/migrations/0001-a.ts', "'SELECT * FROM old ORDER BY rowid'"],
    ['src/db/filter/sort.ts', "name === '@rowid'"],
    ['src/db/schema/sync.ts', "') STRICT, WITHOUT ROWID'"],
    ['src/qasm/syntax/tokens.ts', "['->', '=>']"],
    ['tests/db/a.test.ts', "'SELECT json_valid(x) FROM t ORDER BY rowid'"],
  ])('keeps SQL portable: lets %s pass with %s', (file, text) => {
    expect(checkText(file, text)).toEqual([])
  })
})
