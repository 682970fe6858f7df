import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import {
  checkAll,
  checkFile,
  checkLists,
  checkOrder,
  checkOrdersAreComplete,
  checkText,
} from '../scripts/check-source.ts'
import { codeOf, importsOf } from '../scripts/source-text.ts'

/** What `checkFile` says, without the file: `line rule`. */
function rulesIn(file: string, ...lines: string[]): string[] {
  return checkFile(file, lines.join('\n')).map(({ line, rule }) => `${line} ${rule}`)
}

describe('codeOf()', () => {
  test.each([
    ['line comment', 'a // b\nc', 'a     \nc'],
    ['block comment', 'a /* b\n ` */ c', 'a     \n      c'],
    ['strings', `f('it\\'s', "//")`, 'f(\'     \', "  ")'],
    ['template with code', 'x = `a $<b(`c`)} d` + e', 'x = `  $<b(` `)}  ` + e'],
    ['braces inside a placeholder', 'x = `a$<{ b: 1 }.b}c`; d', 'x = ` $<{ b: 1 }.b} `; d'],
    ['escaped placeholder', 'x = `a\\$<b}`; c', 'x = `      `; c'],
    ['regular expression', 'x = /[/"]\'/.test(y)', 'x = /     /.test(y)'],
    ['regular expression after return', 'return /`/', 'return / /'],
    ['division', 'a = b / c / "d"', 'a = b / c / " "'],
    ['division after a call', 'f(a) / g["/"]', 'f(a) / g[" "]'],
    ['first line of a script', '#!/usr/bin/bun `\na', '                \na'],
    ['unfinished string', "a 'b\nc", "a ' \nc"],
    ['unfinished comment', 'a /* b', 'a     '],
  ])('blanks %s', (_, source, expected) => {
    // `$<` stands for the opening of a placeholder, which the linter takes for a slip in a plain string.
    expect(codeOf(source.replaceAll('$<', '${'))).toBe(expected.replaceAll('$<', '${'))
  })

  test('keeps every position, whatever the text', () => {
    const pieces = ['`', '${', '}', '{', "'", '"', '/', '*', '\\', '\n', ' ', 'a', '=', '(', '#!']
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (source) => {
        const code = codeOf(source)
        expect(code.length).toBe(source.length)
        for (let at = 0; at < source.length; at++) {
          if (code[at] !== source[at]) expect(code[at]).toBe(' ')
          if (source[at] === '\n') expect(code[at]).toBe('\n')
        }
      }),
      { numRuns: 2000 },
    )
  })
})

test('importsOf() finds every form and nothing in comments, strings or names', () => {
  const source = `import 'a'
import b, { c } from "b"
import type {
  D,
} from './d.ts'
export * from './e.ts'
export { type F } from './f.ts'
const g = await import('./g.ts')
type H = import('./h.ts').H
// import 'no'
const text = "import 'no'; from 'no'"
const i = Array.from('no') + o.import('no') + transform('no')
const j = \`import 'no' \${await import(\`./j.ts\`)}\`
`
  expect(importsOf(source, codeOf(source)).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
    '1 a',
    '2 b',
    '5 ./d.ts',
    '6 ./e.ts',
    '7 ./f.ts',
    '8 ./g.ts',
    '9 ./h.ts',
    '13 ./j.ts',
  ])
})

describe('checkFile() on layers', () => {
  test.each([
    ['src/base/log.ts', '../protocol/index.ts', 'layer'],
    ['src/protocol/frame.ts', '../db/index.ts', 'layer'],
    ['src/protocol/events/a.ts', '../../base/index.ts', undefined],
    ['src/protocol/events/a.ts', '../../base/log.ts', 'face'],
    ['src/devices/process/mock/index.ts', '../../../qasm/index.ts', undefined],
    ['src/devices/process/mock/index.ts', '../../../server/index.ts', 'layer'],
    ['src/devices/process/mock/index.ts', '../../index.ts', 'face'],
    ['src/devices/process/mock/index.ts', '../../pulse/index.ts', undefined],
    ['src/driver/connection/link.ts', '../../devices/index.ts', undefined],
    ['src/driver/connection/link.ts', '../../server/index.ts', 'layer'],
    ['src/server/jobs/dispatch/pick.ts', '../../../db/index.ts', undefined],
    ['src/server/jobs/dispatch/pick.ts', '../../../devices/index.ts', 'layer'],
    ['src/server/jobs/dispatch/pick.ts', '../../../../package.json', 'layer'],
    ['src/cli/version.ts', '../../package.json', undefined],
    ['src/cli/serve/web.ts', '../../../web/dashboard/index.html', undefined],
    ['src/cli/main.ts', '../server/index.ts', undefined],
    ['src/cli/main.ts', '../server/config/config.ts', 'face'],
    ['src/cli/main.ts', '../qasm/index.ts', 'layer'],
    ['ui/api/api.ts', '../../src/protocol/index.ts', undefined],
    ['ui/editor/check.ts', '../../src/qasm/index.ts', undefined],
    ['ui/api/api.ts', '../../src/base/index.ts', 'layer'],
    ['ui/api/api.ts', '../../tests/support/x.ts', 'layer'],
    ['src/db/x.ts', '../../tests/support/x.ts', 'layer'],
    ['src/other/x.ts', '../base/index.ts', 'layer'],
    ['scripts/a.ts', '../src/server/tls/certificate-store.ts', undefined],
    ['tests/a.test.ts', '../src/server/tls/certificate-store.ts', undefined],
    ['bench/a.ts', '../src/devices/pulse/compile.ts', undefined],
  ])('%s importing %s', (file, specifier, rule) => {
    const forms = [`import { a } from '${specifier}'`, `import type { A } from '${specifier}'`]
    for (const form of forms) expect(rulesIn(file, form)).toEqual(rule === undefined ? [] : [`1 ${rule}`])
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
    ['events/handlers.ts', '../config/config.ts', true],
    ['http/app.ts', '../context.ts', true],
    ['http/app.ts', '../index.ts', false],
    ['context.ts', './driver-hub.ts', true],
    ['context.ts', './drivers/hub.ts', false],
    ['context.ts', './jobs/attempts/finish.ts', false],
    ['services.ts', './config/config.ts', false],
    ['routes.ts', './create-server.ts', false],
    ['index.ts', './events/handlers.ts', true],
  ])('src/server/%s importing %s', (file, specifier, isAllowed) => {
    const rules = rulesIn(`src/server/${file}`, `import { a } from '${specifier}'`)
    expect(rules.length === 0).toBe(isAllowed)
    if (!isAllowed && specifier !== '../index.ts') expect(rules).toEqual(['1 folder order'])
  })

  const ORDER = { folder: 'src/db', steps: [['a'], ['b', 'c.ts'], ['d']] }

  test.each([
    ['a/x.ts', 'a/y.ts', undefined],
    ['b/x.ts', 'a/y.ts', undefined],
    ['a/x.ts', 'b/y.ts', 'b comes after a in src/db: a < b, c.ts < d < index.ts'],
    ['b/x.ts', 'c.ts', 'c.ts and b share a step of src/db: a < b, c.ts < d < index.ts'],
    ['d/x.ts', 'c.ts', undefined],
    ['c.ts', 'd/x.ts', 'd comes after c.ts in src/db: a < b, c.ts < d < index.ts'],
    ['index.ts', 'd/x.ts', undefined],
    ['d/x.ts', 'index.ts', 'index.ts comes after d in src/db: a < b, c.ts < d < index.ts'],
  ])('checkOrder() for src/db/%s importing src/db/%s', (file, target, reason) => {
    expect(checkOrder(ORDER, `src/db/${file}`, `src/db/${target}`)?.reason).toBe(reason)
  })

  test('checkOrdersAreComplete() reports entries without a step and steps without an entry', () => {
    const files = ['src/db/index.ts', 'src/db/a/x.ts', 'src/db/b/x.ts', 'src/db/e/x.ts', 'src/db/f.ts']
    expect(checkOrdersAreComplete(files, [ORDER]).map(({ file, reason }) => `${file} ${reason}`)).toEqual([
      'src/db/e/x.ts name e in the order of src/db in scripts/source-rules/folder-orders.ts',
      'src/db/f.ts name f.ts in the order of src/db in scripts/source-rules/folder-orders.ts',
      'scripts/source-rules/folder-orders.ts c.ts is not in src/db',
      'scripts/source-rules/folder-orders.ts d is not in src/db',
    ])
    expect(checkOrdersAreComplete(['src/base/a/x.ts'], [ORDER])).toEqual([])
    const open = { folder: 'src/db', steps: [['a'], ['*']], sharedFilesReach: 'a' }
    expect(checkOrdersAreComplete(files, [open])).toEqual([])
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

describe('checkFile() on banned calls', () => {
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
  ])('lets %s pass', (code) => {
    expect(rulesIn('src/server/jobs/x.ts', code)).toEqual([])
  })

  test('knows where each is allowed', () => {
    expect(rulesIn('src/base/clock.ts', 'setTimeout(f, Date.now() + Math.random())')).toEqual([])
    expect(rulesIn('src/base/log.ts', 'const a = process.env')).toEqual(['1 banned process.env'])
    expect(rulesIn('src/cli/main.ts', 'console.log(process.env)')).toEqual([])
    expect(rulesIn('src/cli/main.ts', 'Date.now()')).toEqual(['1 banned Date.now'])
    expect(rulesIn('ui/main.tsx', 'setTimeout(f, 1)')).toEqual([])
  })
})

describe('checkLists()', () => {
  const list = 'src/devices/built-in.ts'
  const files = [list, 'src/devices/process/mock/index.ts', 'src/devices/process/mock/noise.ts']

  test('asks for each folder and file once', () => {
    expect(checkLists(files, () => '').map(({ file, reason }) => `${file} ${reason}`)).toEqual([
      `${list} src/devices/process/mock/index.ts is not in the list`,
    ])
    expect(checkLists(files, () => "import mock from './process/mock/index.ts'")).toEqual([])
    expect(checkLists(files, () => "// import mock from './process/mock/index.ts'").length).toBe(1)
  })

  test('asks for the files beside the list, which itself may be missing', () => {
    const events = ['src/protocol/events/a.ts', 'src/protocol/events/b.ts']
    expect(checkLists(events, () => '').map(({ reason }) => reason)).toEqual([
      'src/protocol/events/a.ts is not in the list',
      'src/protocol/events/b.ts is not in the list',
    ])
    const both = "import { a } from './a.ts'\nexport * from './b.ts'"
    expect(checkLists([...events, 'src/protocol/events/index.ts'], () => both)).toEqual([])
  })

  test('says nothing about folders that do not exist', () => {
    expect(checkLists(['src/base/index.ts'], () => '')).toEqual([])
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

  test.each([
    ['docs/a.md', `https://example.org${machine} and src${machine}`],
    ['.npmrc', 'omit-lockfile-registry-resolved=true'],
    ['src/a.ts', '{ "resolved": 1 }'],
  ])('lets %s with %j pass', (file, text) => {
    expect(checkText(file, text)).toEqual([])
  })
})

describe('the command', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-check-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function put(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }

  test('checkAll() reads files, skips absent and binary ones and sorts by place', async () => {
    put('src/base/b.ts', "\nimport '../db/index.ts'\nimport '../driver/index.ts'")
    put('docs/a.md', ['', 'work', ''].join('/'))
    put('docs/a.png', ['', 'work', ''].join('/'))
    const found = await checkAll(root, ['src/base/b.ts', 'docs/a.png', 'docs/a.md', 'src/base/gone.ts'])
    expect(found.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'docs/a.md:1',
      'src/base/b.ts:2',
      'src/base/b.ts:3',
    ])
  })

  test('prints file:line rule — reason, exits 1, and sees new files before they are added', () => {
    cpSync(join(import.meta.dir, '../scripts'), join(root, 'scripts'), { recursive: true })
    const run = (...command: string[]) => Bun.spawnSync(command, { cwd: root })
    expect(run('git', 'init', '-q').exitCode).toBe(0)
    const check = () => run(process.execPath, 'scripts/check-source.ts')
    expect(check().exitCode).toBe(0)
    put('ui/a.ts', '\nconsole.log(1)\n')
    const { exitCode, stderr } = check()
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toMatch(/^ui\/a\.ts:2 banned console\.log — use the injected Log/)
    put('.gitignore', 'ui\n')
    expect(check().exitCode).toBe(0)
  })
})
