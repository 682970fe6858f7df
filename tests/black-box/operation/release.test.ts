import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runSvc, SVC } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('svc licenses prints the licenses of its packages, fonts and runtime', async () => {
  using folder = temporaryFolder()
  const { out, status } = await runSvc(['licenses'], { cwd: folder.path })
  expect(status).toBe(0)
  for (const text of [
    'hono ',
    'SIL OPEN FONT LICENSE',
    'GNU LIBRARY GENERAL PUBLIC LICENSE',
    'assemblyscript ',
  ]) {
    expect(out).toContain(text)
  }
  const listed = JSON.parse((await runSvc(['licenses', '--json'], { cwd: folder.path })).out)
  expect(listed.at(0)).toMatchObject({ name: 'svc', license: 'MIT' })
  expect(listed.map(({ name }: { name: string }) => name)).toContain('JavaScriptCore and WebCore (WebKit)')
})

test('the build writes a bill of materials and checksums beside the executable', () => {
  const folder = dirname(SVC)
  const hashOf = (file: string) =>
    new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, file))).digest('hex')
  expect(readFileSync(join(folder, 'SHA256SUMS'), 'utf8')).toBe(
    `${hashOf('svc')}  svc\n${hashOf('svc.cdx.json')}  svc.cdx.json\n`,
  )
  const sbom = JSON.parse(readFileSync(join(folder, 'svc.cdx.json'), 'utf8'))
  expect(sbom.metadata.component.hashes).toEqual([{ alg: 'SHA-256', content: hashOf('svc') }])
})
