import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkAll } from '../../scripts/check-source.ts'
import { readTree } from '../../scripts/source-checks/source-tree.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

describe('the command', () => {
  let root: TemporaryFolder
  beforeEach(() => {
    root = temporaryFolder()
  })
  afterEach(() => root[Symbol.dispose]())

  function put(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(root.path, file)), { recursive: true })
    writeFileSync(join(root.path, file), text)
  }

  test('checkAll() reads files, skips absent and binary ones and sorts by place', async () => {
    put('src/base/b.ts', "\nimport '../db/index.ts'\nimport '../driver/index.ts'")
    put('docs/a.md', ['', 'work', ''].join('/'))
    put('docs/a.png', ['', 'work', ''].join('/'))
    const found = checkAll(
      await readTree(root.path, ['src/base/b.ts', 'docs/a.png', 'docs/a.md', 'src/base/gone.ts']),
    )
    expect(found.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'docs/a.md:1',
      'src/base/b.ts:1',
      'src/base/b.ts:2',
      'src/base/b.ts:3',
    ])
  })

  test('--root names another checkout, of which --metrics prints the structure', () => {
    const script = join(import.meta.dir, '../../scripts/check-source.ts')
    expect(Bun.spawnSync(['git', 'init', '-q'], { cwd: root.path }).exitCode).toBe(0)
    put('bench/a.ts', `// ${'word '.repeat(22)}\nexport const toldAt = 1\n`)
    const run = (...options: string[]) =>
      Bun.spawnSync([process.execPath, script, '--root', root.path, ...options])
    const { stderr, exitCode } = run()
    const [width, word] = stderr.toString().split('\n')
    expect(width).toBe('bench/a.ts:1 comment width — wrap at 110 columns')
    expect(word).toMatch(/^bench\/a\.ts:2 word toldAt — .*"told"/)
    expect(exitCode).toBe(1)
    const metrics = run('--metrics')
    expect(metrics.stdout.toString()).toContain('declared names with banned words: 1')
    expect(metrics.exitCode).toBe(0)
  })

  test('prints file:line rule — reason, exits 1, and sees new files before they are added', () => {
    cpSync(join(import.meta.dir, '../../scripts'), join(root.path, 'scripts'), { recursive: true })
    const run = (...command: string[]) => Bun.spawnSync(command, { cwd: root.path })
    expect(run('git', 'init', '-q').exitCode).toBe(0)
    const check = () => run(process.execPath, 'scripts/check-source.ts')
    expect(check().exitCode).toBe(0)
    put('bench/a.ts', '\nawait Bun.sleep(5_000)\n')
    const { exitCode, stderr } = check()
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toMatch(/^bench\/a\.ts:2 banned Bun\.sleep\(5_000 — wait with until\(\)/)
    put('.gitignore', 'bench\n')
    expect(check().exitCode).toBe(0)
    put('notes.txt', 'x')
    expect(check().stderr.toString()).toMatch(/^notes\.txt:1 top level — notes\.txt is not among/)
  })
})
