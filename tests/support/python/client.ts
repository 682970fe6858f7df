import { join } from 'node:path'
import { SVC } from '../executable/service.ts'

const ROOT = join(import.meta.dir, '../../..')

/** The package of the Python client, as it is in the repository. */
export const CLIENT_FOLDER = join(ROOT, 'clients/python')

/** Variables with which the tests of the package find what is outside of it. */
export const CLIENT_TEST_ENV = {
  SVC_EXECUTABLE: SVC,
  SVC_CONTRACT_CASES: join(ROOT, 'clients/contract/cases.json'),
}
