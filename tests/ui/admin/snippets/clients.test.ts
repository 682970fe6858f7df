import { expect, test } from 'bun:test'
import { CLIENTS, type Example, writeCurl } from '../../../../ui/admin/snippets/clients.ts'

const ORIGIN = 'https://lab.example'
const update: Example = {
  method: 'PATCH',
  path: '/api/collections/qpus/records/q1',
  needsLogin: true,
  body: { name: "it's", draining: true },
  record: { action: 'update', collection: 'qpus', id: 'q1' },
}

test('a command has the token in a variable and the body in quotes', () => {
  expect(writeCurl(ORIGIN, update)).toBe(
    [
      'curl',
      '-X PATCH',
      '-H "Authorization: $TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{\n  "name": "it'\\''s",\n  "draining": true\n}'`,
      'https://lab.example/api/collections/qpus/records/q1',
    ].join(' \\\n  '),
  )
  expect(writeCurl(ORIGIN, { method: 'GET', path: '/api/qpus?limit=1&skip=2', needsLogin: false })).toBe(
    "curl \\\n  'https://lab.example/api/qpus?limit=1&skip=2'",
  )
})

test('the code of every client can be parsed, for records and for other routes', () => {
  const others: Example[] = [
    update,
    { method: 'POST', path: '/api/jobs', needsLogin: true, body: { shots: 1, circuits: [{ circuit: 'x' }] } },
    {
      method: 'GET',
      path: '/api/collections/qpus/records',
      needsLogin: true,
      record: { action: 'list', collection: 'qpus', filter: `name = "a'b"`, sort: '-created' },
    },
  ]
  const codeOf = (client: string, example: Example) =>
    CLIENTS.find(({ id }) => id === client)?.write(ORIGIN, example)
  for (const example of others) {
    for (const client of ['javascript', 'pocketbase']) {
      const code = codeOf(client, example) ?? ''
      expect(() => new Bun.Transpiler({ loader: 'js' }).transformSync(code)).not.toThrow()
    }
  }
  const sdk = CLIENTS.find(({ id }) => id === 'pocketbase')
  expect(codeOf('python', update)).toBe(
    [
      'from svc_client import SvcClient',
      '',
      'svc = SvcClient("https://lab.example")',
      `record = svc.collection("qpus").update("q1", {"name": "it's", "draining": True})`,
    ].join('\n'),
  )
  // The clients of this service have calls of their own for other routes.
  for (const client of ['python', 'javascript', 'go']) {
    expect(codeOf(client, others[1] as Example)).toBeUndefined()
  }
  expect(sdk?.write(ORIGIN, update)).toContain(`pb.collection('qpus').update('q1', {`)
  expect(CLIENTS.map(({ id }) => id)).toEqual(['curl', 'python', 'javascript', 'go', 'pocketbase'])
})
