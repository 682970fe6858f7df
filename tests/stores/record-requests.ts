import { COLLECTIONS } from '../../src/db/index.ts'
import type { Draw, Sent } from './draw.ts'
import { idOf, PROGRAM, type Table } from './values.ts'

function tableOf({ random }: Draw): { table: Table; path: string } {
  const { name, publicName } = random.of(COLLECTIONS)
  return { table: name, path: `/api/collections/${publicName}/records` }
}

/** A list of any collection. */
export function listRecords(draw: Draw): Sent {
  const { random } = draw
  const { table, path } = tableOf(draw)
  const query = draw.given({
    filter: () => draw.lists.filter(table),
    sort: () => draw.lists.sort(table),
    perPage: () => random.of(['1', '5', '30', '500']),
    page: () => random.of(['1', '2', '3', '0']),
    expand: () => draw.lists.expand(table),
    fields: () => draw.lists.fields(table),
    skipTotal: () => random.of(['true', 'false', '1']),
  })
  if (random.chance(0.6)) query['filter'] = draw.lists.filter(table)
  if (random.chance(0.05)) query['format'] = random.of(['csv', 'jsonl'])
  return { as: draw.role(), method: 'GET', path, query }
}

/** A record of any collection. */
export function viewRecord(draw: Draw): Sent {
  const { table, path } = tableOf(draw)
  const kinds: Partial<Record<Table, [string, number]>> = {
    ...{
      quantum_jobs: ['j', 120],
      events: ['e', 90],
      users: ['u', 4],
      qpus: ['q', 3],
      time_slots: ['s', 12],
    },
    ...{
      notes: ['n', 12],
      notifications: ['i', 12],
      thresholds: ['h', 12],
      calibration_results: ['k', 15],
    },
  }
  const [kind, count] = kinds[table] ?? ['zz', 3]
  const id = idOf(kind, draw.random.below(count))
  const query = draw.given({
    expand: () => draw.lists.expand(table),
    fields: () => draw.lists.fields(table),
  })
  return { as: draw.role(), method: 'GET', path: `${path}/${id}`, query }
}

/** A new record, or a change of one that a request made. */
export function changeRecord(draw: Draw): Sent {
  const { random } = draw
  const made = draw.made.record
  if (made.length > 0 && random.chance(0.3)) {
    const index = random.of(made.slice(-20))
    const path = `${draw.tables.get(index)}/«${index}»`
    return random.of<Sent>([
      { as: draw.role(), method: 'GET', path },
      {
        as: draw.role(),
        method: 'PATCH',
        path,
        body: { title: random.text(), text: random.text(), limit: 5 },
      },
      {
        as: draw.role(),
        method: 'PATCH',
        path,
        body: { status: random.of(['approved', 'rejected', 'none']), seconds: 3 },
      },
      { as: draw.role(), method: 'DELETE', path },
    ])
  }
  const times = { at: draw.time(), start_time: draw.time(9), end_time: draw.time(9) }
  const bodies: readonly [table: string, body: object][] = [
    ['notes', { at: times.at, text: random.text(), qpu: idOf('q', random.below(4)) }],
    ['notifications', { title: random.text(), target_users: random.some([idOf('u', 0), idOf('u', 1)]) }],
    ['qpu_time_requests', { seconds: random.number(), requested_reason: random.text() }],
    [
      'thresholds',
      {
        name: random.text(),
        driver: idOf('m1', 0),
        channel: 'tmc',
        limit: random.number(),
        kind: random.of(['above', 'below']),
      },
    ],
    ['time_slots', times],
    [
      'users',
      {
        email: `${random.of(['x', 'X', 'y'])}${random.below(30)}@Example.org`,
        password: 'some password',
        username: random.text(),
      },
    ],
    ['quantum_jobs', { payload: { circuits: [{ circuit: PROGRAM }] } }],
    ['drivers', { name: random.text(), qpu: idOf('q', 0) }],
  ]
  const [table, body] = random.of(bodies)
  return {
    as: draw.role(),
    method: 'POST',
    path: `/api/collections/${table}/records`,
    body,
    makes: 'record',
  }
}
