/**
 * Writes what the clients in `clients/` are made of from the declarations of the routes: `npm run clients`.
 * Git ignores the OpenAPI document, the types of what is sent and received in JavaScript and Python, and the
 * synchronous client in Python; it has the contract for reviews and the package of Go. With `--ignored` it
 * writes only the former, as `npm ci` does; with `--check` it writes nothing and fails if a file is stale;
 * with `--record` it also records the contract cases again. Without a flag it builds the wheel of the Python
 * client, too, if there is a Python.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApiDocument } from '../../src/server/index.ts'
import { makeClientWheel } from '../release/artifacts/python-packages.ts'
import { contractOf } from './contract.ts'
import { declaredRoutes } from './declared-routes.ts'
import { errorTableOf, goErrors, pythonErrors, typeScriptErrors } from './error-classes.ts'
import { goPackage } from './go.ts'
import { type ApiDocument, errorCodesOf, wireTypesOf } from './operations.ts'
import { pythonModule } from './python.ts'
import { synchronousModule } from './synchronous.ts'
import { typeScriptModule } from './typescript.ts'

const CLIENTS = join(import.meta.dir, '../../clients')
const PYTHON = 'python/src/svc_client'

const document: ApiDocument = JSON.parse(JSON.stringify(openApiDocument(await declaredRoutes(), '')))
const types = wireTypesOf(document)
const errors = errorTableOf(errorCodesOf(document))
const modules = readdirSync(join(CLIENTS, PYTHON, '_async')).filter((name) => name.endsWith('.py'))
const ignored: Readonly<Record<string, string>> = {
  'contract/openapi.json': `${JSON.stringify(document, null, 1)}\n`,
  'js/src/generated/wire.gen.ts': typeScriptModule(types),
  'js/src/generated/error-classes.gen.ts': typeScriptErrors(errors),
  [`${PYTHON}/_wire.py`]: pythonModule(types),
  [`${PYTHON}/_error_classes.py`]: pythonErrors(errors),
  ...Object.fromEntries(
    modules.map((name) => [
      `${PYTHON}/_sync/${name}`,
      synchronousModule(readFileSync(join(CLIENTS, PYTHON, '_async', name), 'utf8'), name),
    ]),
  ),
}
const tracked: Readonly<Record<string, string>> = {
  'contract/contract.txt': contractOf(document),
  'go/internal/wire/wire.go': goPackage(types),
  'go/internal/wire/codes.go': goErrors(errors),
}

const isCheck = process.argv.includes('--check')
const files = process.argv.includes('--ignored') ? ignored : { ...ignored, ...tracked }
const synchronous = new Bun.Glob(`${PYTHON}/_sync/*.py`).scanSync({ cwd: CLIENTS })
const surplus = [...synchronous]
  .filter((name) => !(name in ignored))
  .map((name) => [name, undefined] as const)
let stale = 0
for (const [name, text] of [...Object.entries(files), ...surplus]) {
  const path = join(CLIENTS, name)
  if (text !== undefined && existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (isCheck) {
    console.error(`clients/${name} is stale; run npm run clients`)
    stale += 1
  } else if (text === undefined) rmSync(path)
  else replace(path, text)
}
if (process.argv.length === 2) {
  if (Bun.which('python3') === null) console.log('No python3: the wheel of the Python client is not built')
  else console.log(await makeClientWheel())
}
if (process.argv.includes('--record')) await import('./cases/record-cases.ts')
process.exit(stale > 0 ? 1 : 0)

/** Under another name first: two builds at the same time must not see each other's half. */
function replace(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}
