import { afterAll, expect } from 'bun:test'
import { temporaryFolder } from '../temporary-folder.ts'
import { Service } from './service.ts'

/** The service that the tests of one file share. */
interface FileService {
  service: Service
  /** With 1,000 s of QPU time. */
  user: { id: string; token: string }
}

/**
 * Starts a server of the built executable for all tests of the file that calls this at its top. After the
 * last of them it is stopped, and its database has to be intact.
 */
export async function openFileService(): Promise<FileService> {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path)
  await service.start()
  afterAll(async () => {
    await service.close()
    expect((await service.doctor()).out).toContain('no problems found')
    folder[Symbol.dispose]()
  })
  return { service, user: await service.createUser(1_000) }
}
