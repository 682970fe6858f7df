import { expect, test } from 'bun:test'
import { assertIntegrity } from '../../../scripts/release/runtime.ts'

const ARCHIVE = Buffer.from('an archive')
const INTEGRITY =
  'sha512-IbnGw0QBxGZ2nsdeiU1H89XrZWNYroNtxth7d0evaTd/gmaRNCffzQAn5ohzroli+K/ZQ6Kcz6ysq9JxE6mBvg=='

test('only the archive of a runtime that the lock file names is used', () => {
  assertIntegrity(ARCHIVE, { name: 'a runtime', integrity: INTEGRITY })
  const changed = Buffer.from('an archivE')
  expect(() => assertIntegrity(changed, { name: 'a runtime', integrity: INTEGRITY })).toThrow(
    /^a runtime is sha512-.* but package-lock.json has sha512-/,
  )
})
