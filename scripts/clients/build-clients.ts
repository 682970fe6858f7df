/**
 * Writes what the clients in `clients/` are made of from the declarations of the routes: the OpenAPI
 * document, the types of what is sent and received, and the codes of errors: `npm run clients`. With
 * `--check` it writes nothing and fails if a file is stale; with `--record` it also records the contract
 * cases again.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApiDocument } from '../../src/server/index.ts'
import { declaredRoutes } from './declared-routes.ts'
import { errorTableOf, goErrors, pythonErrors, typeScriptErrors } from './error-classes.ts'
import { goPackage } from './go.ts'
import { type ApiDocument, errorCodesOf, wireTypesOf } from './operations.ts'
import { pythonModule } from './python.ts'
import { typeScriptModule } from './typescript.ts'

const CLIENTS = join(import.meta.dir, '../../clients')

const document: ApiDocument = JSON.parse(JSON.stringify(openApiDocument(await declaredRoutes(), '')))
const types = wireTypesOf(document)
const errors = errorTableOf(errorCodesOf(document))
const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`
const files: Readonly<Record<string, string>> = {
  'contract/openapi.json': json(document),
  'contract/error-codes.json': json(errors),
  'js/src/generated/wire.gen.ts': typeScriptModule(types),
  'js/src/generated/error-classes.gen.ts': typeScriptErrors(errors),
  'python/src/svc_client/_wire.py': pythonModule(types),
  'python/src/svc_client/_error_classes.py': pythonErrors(errors),
  'go/internal/wire/wire.go': goPackage(types),
  'go/internal/wire/codes.go': goErrors(errors),
}
let stale = 0
for (const [name, text] of Object.entries(files)) {
  const path = join(CLIENTS, name)
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`clients/${name} is stale; run npm run clients`)
    stale += 1
  }
}
if (process.argv.includes('--record')) await import('./cases/record-cases.ts')
process.exit(stale > 0 ? 1 : 0)
