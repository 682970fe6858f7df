import { scriptQuoted, scriptValue, shellQuoted } from './quote.ts'
import { listOptionsOf, type RecordCall, writeGo, writePython, writeScript } from './record-calls.ts'

/** A request to show as code. */
export interface Example {
  method: string
  /** URL path with its query. */
  path: string
  /** Whether it needs credentials. */
  needsLogin: boolean
  /** JSON body; undefined without one. */
  body?: unknown
  /** What a request of a record route does to which collection. */
  record?: RecordCall | undefined
}

/** A program or library in which a request can be written. */
export interface Client {
  id: string
  title: string
  /** The example as code for the server at `origin`; undefined where the client has a call of its own. */
  write(origin: string, example: Example): string | undefined
}

/** The clients for which examples are shown, in order. */
export const CLIENTS: readonly Client[] = [
  { id: 'curl', title: 'curl', write: writeCurl },
  { id: 'python', title: 'Python', write: writeRecordIn(writePython) },
  { id: 'javascript', title: 'JavaScript', write: writeRecordIn(writeScript) },
  { id: 'go', title: 'Go', write: writeRecordIn(writeGo) },
  { id: 'pocketbase', title: 'pocketbase', write: writeSdk },
]

/** The clients of this service have calls of their own for other routes than those of records. */
function writeRecordIn(write: (origin: string, call: RecordCall, body: unknown) => string) {
  return (origin: string, { record, body }: Example) => record && write(origin, record, body)
}

/** The request as a command; the token stays in a variable, so that it is in no history of commands. */
export function writeCurl(origin: string, { method, path, needsLogin, body }: Example): string {
  const words = ['curl']
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) words.push(`-X ${method}`)
  if (needsLogin) words.push('-H "Authorization: $TOKEN"')
  if (body !== undefined) {
    words.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body, null, 2))}`)
  }
  words.push(shellQuoted(origin + path))
  return words.join(' \\\n  ')
}

function writeSdk(origin: string, example: Example): string {
  const head = [
    "import PocketBase from 'pocketbase'",
    '',
    `const pb = new PocketBase(${scriptQuoted(origin)})`,
  ]
  if (example.needsLogin) head.push('pb.authStore.save(process.env.TOKEN)')
  return [...head, '', example.record ? recordCode(example.record, example.body) : sendCode(example)].join(
    '\n',
  )
}

function recordCode(call: RecordCall, body: unknown): string {
  const of = `pb.collection(${scriptQuoted(call.collection)})`
  switch (call.action) {
    case 'list': {
      const options = listOptionsOf(call)
      const hasOptions = Object.keys(options).length > 0
      return `const page = await ${of}.getList(1, 50${hasOptions ? `, ${scriptValue(options)}` : ''})`
    }
    case 'view':
      return `const record = await ${of}.getOne(${scriptQuoted(call.id)})`
    case 'create':
      return `const record = await ${of}.create(${scriptValue(body ?? {})})`
    case 'update':
      return `const record = await ${of}.update(${scriptQuoted(call.id)}, ${scriptValue(body ?? {})})`
    case 'delete':
      return `await ${of}.delete(${scriptQuoted(call.id)})`
  }
}

function sendCode({ method, path, body }: Example): string {
  const options = { method, ...(body !== undefined && { body }) }
  return `const answer = await pb.send(${scriptQuoted(path)}, ${scriptValue(options)})`
}
