/** One list request: its caller, collection and query. */
export interface RandomList {
  readonly caller: 'superuser' | 'user' | 'guest'
  readonly collection: string
  readonly query: Readonly<Record<string, string>>
}

/** A collection as clients see it, with values that its records have. */
export interface Shape {
  readonly name: string
  readonly fields: readonly {
    readonly name: string
    readonly type: string
    readonly to?: string | undefined
  }[]
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly ids: readonly string[]
}

/** A generator of numbers from 0 to 1 that a seed determines (mulberry32, public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Back relations, with one hop: two would join millions of rows. */
const BACK: Readonly<Record<string, readonly string[]>> = {
  qpus: [
    'quantum_jobs_via_qpu_target.status',
    'drivers_via_qpu.operation',
    'quantum_jobs_via_qpu_target.attempt',
  ],
  drivers: ['events_via_driver.type'],
}
const OPERATORS = ['=', '=', '=', '!=', '>', '>=', '<', '<=', '~', '!~', '?=', '?>']
const ODD_VALUES = [
  '""',
  'null',
  'true',
  '0',
  '1',
  '-1.5',
  '"a"',
  '"%"',
  '"2026"',
  '@todayStart',
  '"completed"',
]

/** Random lists of the collections, most of them valid; the same ones for the same seed. */
export function* randomLists(shapes: readonly Shape[], seed: number, count: number): Generator<RandomList> {
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(from: readonly T[]): T => {
    const found = from[below(from.length)]
    if (found === undefined) throw new TypeError('nothing to pick from')
    return found
  }

  function nameOf(shape: Shape): string {
    const field = pick(shape.fields)
    const related = shapes.find(({ name }) => name === field.to)
    const back = BACK[shape.name]
    if (back && random() < 0.15) return pick(back)
    if (related && random() < 0.4) return `${field.name}.${pick(related.fields).name}`
    if (field.type === 'json' && random() < 0.5) return `${field.name}.${pick(['shots', 'n', 'circuits.0'])}`
    return random() < 0.01 ? 'nothing' : field.name
  }

  function literalOf(shape: Shape, name: string): string {
    const known = shape.values[name] ?? []
    return known.length > 0 && random() < 0.7 ? JSON.stringify(pick(known)) : pick(ODD_VALUES)
  }

  function filterOf(shape: Shape, depth = 0): string {
    const terms = Array.from({ length: 1 + below(3) }, () => {
      if (depth < 2 && random() < 0.2) return `(${filterOf(shape, depth + 1)})`
      const name = nameOf(shape)
      return `${name} ${pick(OPERATORS)} ${literalOf(shape, name)}`
    })
    return terms.join(random() < 0.7 ? ' && ' : ' || ')
  }

  function sortOf(shape: Shape): string {
    const usual = ['', 'created', 'id', 'status', 'ts', 'finished_at', 'name', 'start_time']
    const key = () => (random() < 0.6 ? pick(usual) : nameOf(shape))
    return Array.from({ length: 1 + below(2) }, key)
      .filter((name) => name !== '')
      .map((name) => (random() < 0.5 ? `-${name}` : name))
      .join(',')
  }

  for (let made = 0; made < count; made += 1) {
    const shape = pick(shapes)
    const query: Record<string, string> = { perPage: String(1 + below(40)), fields: 'id,created,status,name' }
    if (random() < 0.8) query['filter'] = filterOf(shape)
    if (random() < 0.7) query['sort'] = sortOf(shape)
    if (random() < 0.5) query['skipTotal'] = 'true'
    if (random() < 0.3) query['page'] = String(1 + below(60))
    else if (random() < 0.15 && shape.ids.length > 0) query['after'] = pick(shape.ids)
    const caller = random() < 0.75 ? 'superuser' : pick(['user', 'user', 'guest'] as const)
    yield { caller, collection: shape.name, query }
  }
}
