import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { systemClock } from '../../src/base/index.ts'
import { writeMetrics } from '../../src/server/metrics/exposition.ts'
import { DatabaseWaits } from '../../src/server/metrics/shared-database.ts'
import { absentOf, skips } from '../support/faults/prerequisites.ts'
import { freePort } from '../support/free-port.ts'
import { openTestServer, startDriverProcess } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(300_000)

const examples = join(import.meta.dir, '../../examples')
const folder = temporaryFolder()
const server = await openTestServer()
const qpu = await server.createQpu('north')
const driver = await startDriverProcess(server, { token: qpu.token })
afterAll(async () => {
  await driver[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string; remedy: string }
}
const ruleFiles = readdirSync(join(examples, 'prometheus')).filter((name) => name.endsWith('.rules.yml'))
const rules = ruleFiles.flatMap((name) => {
  const file: { groups: { rules: Rule[] }[] } = parse(
    readFileSync(join(examples, 'prometheus', name), 'utf8'),
  )
  return file.groups.flatMap((group) => group.rules)
})

interface Panel {
  title: string
  targets: { expr: string }[]
}
const dashboard: { panels: Panel[] } = JSON.parse(readFileSync(join(examples, 'grafana/svc.json'), 'utf8'))
const charts = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
)

/** The metrics of a server that shares its database, which this one does not. */
const shared = {
  epoch: 1,
  standbys: async () => [],
  replicaLagBytes: async () => 0,
  clockDifferenceMs: async () => 0,
  onWait: () => undefined,
  limitWaits: () => undefined,
}
const ofShared = writeMetrics(await new DatabaseWaits(systemClock).read(shared))

/** Labels by metric name, each with its values, as servers with a driver expose them. */
async function exposedLabels(further = ''): Promise<Map<string, Map<string, Set<string>>>> {
  const text = (await (await fetch(`${server.url}/metrics`)).text()) + further
  const metrics = new Map<string, Map<string, Set<string>>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^(svc_\w+)(?:\{([^}]*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, known)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  }
  return metrics
}

/** What an expression names that the server does not expose. `instance` and `job` are those of Prometheus. */
function unknownIn(expr: string, metrics: Awaited<ReturnType<typeof exposedLabels>>): string[] {
  const unknown: string[] = []
  for (const [, name = '', matchers = ''] of expr.matchAll(/\b(svc_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = metrics.get(name)
    if (!labels) unknown.push(name)
    for (const [, label = '', operator, value = ''] of matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
      if (label === 'instance' || label === 'job') continue
      const values = labels?.get(label)
      if (!values || (operator !== '=~' && !values.has(value))) unknown.push(`${name}{${label}="${value}"}`)
    }
  }
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */))
  const all = new Set([...metrics.values()].flatMap((labels) => [...labels.keys()]))
  return [...unknown, ...grouped.filter((label) => !all.has(label))]
}

test('every metric, label and value in the alert rules and the dashboard is exposed by a server', async () => {
  const metrics = await exposedLabels(ofShared)
  expect(unknownIn('svc_nothing > 0 and sum by (color) (svc_jobs{status="lost"})', metrics)).toEqual([
    'svc_nothing',
    'svc_jobs{status="lost"}',
    'color',
  ])
  for (const { alert, expr } of rules) expect([alert, ...unknownIn(expr, metrics)]).toEqual([alert])
  for (const [title, expr] of charts) expect([title, ...unknownIn(expr, metrics)]).toEqual([title])
})

test('every alert has a summary and a remedy, and the dashboard shows every metric', async () => {
  for (const { alert, annotations } of rules) {
    expect([alert, typeof annotations.summary, typeof annotations.remedy]).toEqual([
      alert,
      'string',
      'string',
    ])
  }
  const names = [...(await exposedLabels()).keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  const shown = charts.map(([, expr]) => expr).join('\n')
  expect([...new Set(names)].filter((name) => !shown.includes(name))).toEqual([])
})

describe.skipIf(skips('Prometheus', absentOf('promtool', 'prometheus')))('Prometheus', () => {
  async function run(...command: string[]): Promise<string> {
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect({ status: await child.exited, err }).toEqual({ status: 0, err: '' })
    return out
  }

  test('accepts the configuration and the rules, and the rules fire as intended', async () => {
    await run('promtool', 'check', 'config', join(examples, 'prometheus/prometheus.yml'))
    await run('promtool', 'check', 'rules', ...ruleFiles.map((name) => join(examples, 'prometheus', name)))
    const file = join(folder.path, 'svc.rules.test.yml')
    const cases = readFileSync(join(import.meta.dir, 'svc.rules.test.yml'), 'utf8')
    writeFileSync(file, cases.replace('RULES', join(examples, 'prometheus/svc.rules.yml')))
    await run('promtool', 'test', 'rules', file)
  })

  test('scrapes the server and evaluates each expression of the dashboard and the rules', async () => {
    const config = join(folder.path, 'prometheus.yml')
    const targets = [server.url.replace('http://', '')]
    writeFileSync(
      config,
      JSON.stringify({
        global: { scrape_interval: '1s' },
        scrape_configs: [{ job_name: 'svc', static_configs: [{ targets }] }],
      }),
    )
    const url = `127.0.0.1:${freePort()}`
    const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder.path, 'tsdb')}`]
    const prometheus = Bun.spawn(['prometheus', ...args, `--web.listen-address=${url}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    try {
      const query = async (expr: string): Promise<{ status: string; data?: { result: unknown[] } }> => {
        const response = await fetch(`http://${url}/api/v1/query?${new URLSearchParams({ query: expr })}`)
        return response.json()
      }
      await until(
        'two scrapes',
        async () => {
          const { data } = await query('count_over_time(svc_info[1m]) > 1')
          return (data?.result.length ?? 0) > 0
        },
        { timeoutMs: 30_000 },
      )
      for (const { alert, expr } of rules)
        expect([alert, (await query(expr)).status]).toEqual([alert, 'success'])
      for (const [title, expr] of charts) {
        const plain = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')
        const { status, data } = await query(plain)
        expect([title, status, (data?.result.length ?? 0) > 0]).toEqual([title, 'success', true])
      }
      expect((await query('up{job="svc"} == 1')).data?.result).toHaveLength(1)
    } finally {
      prometheus.kill()
      await prometheus.exited
    }
  })
})
