import { goValue, pythonValue, scriptQuoted, scriptValue } from './quote.ts'

/** A request to a record route in the terms of record-store clients. */
export type RecordCall =
  | { action: 'list'; collection: string; filter?: string; sort?: string; expand?: string }
  | { action: 'view' | 'update' | 'delete'; collection: string; id: string }
  | { action: 'create'; collection: string }

/** The call as a program with the Python client. All clients read the token from SVC_API_TOKEN. */
export function writePython(origin: string, record: RecordCall, body: unknown): string {
  const of = `svc.collection(${pythonValue(record.collection)})`
  const head = ['from svc_client import SvcClient', '', `svc = SvcClient(${pythonValue(origin)})`]
  return [...head, pythonCall(of, record, body)].join('\n')
}

function pythonCall(of: string, call: RecordCall, body: unknown): string {
  switch (call.action) {
    case 'list': {
      const options = Object.entries(listOptionsOf(call)).map(
        ([name, text]) => `${name}=${pythonValue(text)}`,
      )
      return `page = ${of}.list(${options.join(', ')})`
    }
    case 'view':
      return `record = ${of}.get(${pythonValue(call.id)})`
    case 'create':
      return `record = ${of}.create(${pythonValue(body ?? {})})`
    case 'update':
      return `record = ${of}.update(${pythonValue(call.id)}, ${pythonValue(body ?? {})})`
    case 'delete':
      return `${of}.delete(${pythonValue(call.id)})`
  }
}

/** The call as a program with the JavaScript client. */
export function writeScript(origin: string, record: RecordCall, body: unknown): string {
  const of = `svc.collection(${scriptQuoted(record.collection)})`
  const head = [
    "import { SvcClient } from '@svc/client'",
    '',
    `const svc = new SvcClient({ baseUrl: ${scriptQuoted(origin)} })`,
  ]
  return [...head, scriptCall(of, record, body)].join('\n')
}

function scriptCall(of: string, call: RecordCall, body: unknown): string {
  switch (call.action) {
    case 'list': {
      const options = listOptionsOf(call)
      return `const page = await ${of}.list(${Object.keys(options).length > 0 ? scriptValue(options) : ''})`
    }
    case 'view':
      return `const record = await ${of}.get(${scriptQuoted(call.id)})`
    case 'create':
      return `const record = await ${of}.create(${scriptValue(body ?? {})})`
    case 'update':
      return `const record = await ${of}.update(${scriptQuoted(call.id)}, ${scriptValue(body ?? {})})`
    case 'delete':
      return `await ${of}.delete(${scriptQuoted(call.id)})`
  }
}

/** The call as a program with the Go client. */
export function writeGo(origin: string, record: RecordCall, body: unknown): string {
  const result = { list: 'page', view: 'record', create: 'record', update: 'record', delete: '' }[
    record.action
  ]
  const call = `client.Collection(${goValue(record.collection)}).${goCall(record, body)}`
  const packages = ['context', ...(result ? ['fmt'] : []), 'log']
  return [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    '',
    '\tsvc "svc.example/clients/go"',
    ')',
    '',
    'func main() {',
    `\tclient, err := svc.New(${goValue(origin)})`,
    ...CHECKED,
    `\t${result ? `${result}, err := ` : 'err = '}${call}`,
    ...CHECKED,
    ...(result ? [`\tfmt.Println(${result === 'page' ? 'page.Items' : result})`] : []),
    '}',
  ].join('\n')
}

const CHECKED = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}']

function goCall(call: RecordCall, body: unknown): string {
  const context = 'context.Background()'
  switch (call.action) {
    case 'list': {
      const options = Object.entries(listOptionsOf(call)).map(
        ([name, text]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${goValue(text)}`,
      )
      return `List(${context}, svc.ListOptions{${options.join(', ')}})`
    }
    case 'view':
      return `Get(${context}, ${goValue(call.id)})`
    case 'create':
      return `Create(${context}, ${goValue(body ?? {})})`
    case 'update':
      return `Update(${context}, ${goValue(call.id)}, ${goValue(body ?? {})})`
    case 'delete':
      return `Delete(${context}, ${goValue(call.id)})`
  }
}

/** The options of a list that are given. */
export function listOptionsOf({ filter, sort, expand }: Extract<RecordCall, { action: 'list' }>) {
  return { ...(filter && { filter }), ...(sort && { sort }), ...(expand && { expand }) }
}
