import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  findBackupFile,
  listBackupFiles,
  removeBackupFile,
} from '../../../../src/db/sqlite/backup/backup-files.ts'
import { writeCheckRecord } from '../../../../src/db/sqlite/backup/check-record.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

test('the newest backups and earlier databases are listed, and files that belong to them are not', async () => {
  using folder = temporaryFolder()
  const dir = folder.path
  mkdirSync(join(dir, 'backups'))
  for (let day = 10; day < 30; day += 1) {
    writeFileSync(join(dir, 'backups', `svc-202601${day}T000000.000Z.db`), 'x'.repeat(day))
  }
  for (const name of [
    'svc.db',
    'svc.db-wal',
    'svc.lock',
    'svc.db.before-restore',
    'svc.db.before-restore-wal',
  ]) {
    writeFileSync(join(dir, name), '')
  }
  writeFileSync(join(dir, 'backups', 'svc-20260129T000000.000Z.db.ca.key'), '')
  const path = join(dir, 'backups', 'svc-20260129T000000.000Z.db')
  writeCheckRecord(path, { version: '1', at: 5, findings: 2, problem: '' })
  const { files, total } = await listBackupFiles(dir, 3)
  expect(total).toBe(21)
  expect(files.map(({ name, kind }) => [name, kind])).toEqual([
    ['svc.db.before-restore', 'earlier'],
    ['svc-20260129T000000.000Z.db', 'backup'],
    ['svc-20260128T000000.000Z.db', 'backup'],
  ])
  expect(files[1]).toMatchObject({ bytes: 29, check: { findings: 2 } })
  removeBackupFile(path)
  expect(readdirSync(join(dir, 'backups')).filter((name) => name.includes('0129'))).toEqual([])
  await expect(findBackupFile(dir, 'svc-20260129T000000.000Z.db')).rejects.toThrow('There is no backup')
})

test('a link is no backup: it could lead to any file', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'data/backups'), { recursive: true })
  writeFileSync(join(folder.path, 'secret'), 'x')
  const dir = join(folder.path, 'data')
  symlinkSync('../../secret', join(dir, 'backups/link.db'))
  symlinkSync('../secret', join(dir, 'svc.db.before-restore'))
  expect(await listBackupFiles(dir, 10)).toEqual({ files: [], total: 0 })
  for (const name of ['link.db', 'svc.db.before-restore'])
    await expect(findBackupFile(dir, name)).rejects.toThrow(`There is no backup ${name}`)
})
