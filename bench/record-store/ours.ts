import { join } from 'node:path'
import { Service } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { fillJobs, type Side } from './side.ts'

/** The part of a collection that a client needs to create the same collection on another server. */
export interface CollectionShape {
  name: string
  fields: { name: string; type: string; collectionId?: string; system: boolean }[]
}

/**
 * Starts the built executable with `JOBS` jobs, with the production settings except the rate limits, which
 * are disabled.
 */
export async function openOurs(): Promise<Side & { collections: CollectionShape[] }> {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path)
  await service.start()
  const { id: user, token } = await service.createUser(1_000)
  const { id: qpu } = await service.createQpu('bench_qpu')
  await service.stop()
  fillJobs(join(folder.path, 'svc_data/svc.db'), { user, qpu })
  await service.start()
  const admin = await service.admin()
  const listed = await service.call<{ items: CollectionShape[] }>('GET', '/api/collections?perPage=100', {
    token: admin,
  })
  return {
    name: 'svc',
    url: service.url,
    token,
    admin,
    user,
    qpu,
    collections: listed.body.items,
    async [Symbol.asyncDispose]() {
      await service.stop()
      folder[Symbol.dispose]()
    },
  }
}
