/** The outcome of one test, its name with those of the groups around it. */
export interface TestResult {
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What failed; empty unless the test did. */
  message: string
}

/** Between the names of groups and tests. */
export const NAME_SEPARATOR = ' › '

/** A group begins, or ends, or a whole test; `<` and `>` inside of names and messages are escaped. */
const ELEMENT = /<testsuite\b([^>]*[^>/])>|<\/testsuite>|<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g
const FAILURE = /<failure\b([^>]*?)(?:\/>|>([^<]*)<)/
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code: string | undefined, name: string | undefined) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? entity) : String.fromCodePoint(Number(code)),
  )
}

function attribute(attributes: string, name: string): string {
  return unescapeXml(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
}

function readTest(name: string, body: string): TestResult {
  const failure = FAILURE.exec(body)
  if (!failure) return { name, outcome: body.includes('<skipped') ? 'skipped' : 'passed', message: '' }
  const [, attributes = '', text = ''] = failure
  return { name, outcome: 'failed', message: unescapeXml(text).trim() || attribute(attributes, 'message') }
}

/** What a report says about one file. */
export interface FileReport {
  tests: TestResult[]
  /** How long its tests took. */
  seconds: number
}

/**
 * Reads a report in the JUnit format as `bun test --reporter=junit` writes it: a suite for each file and in
 * it one for each group of tests. The key is the path of the file, relative to the folder of the run.
 */
export function readReport(report: string): Map<string, FileReport> {
  const files = new Map<string, FileReport>()
  const groups: string[] = []
  for (const [, group, test, body = ''] of report.matchAll(ELEMENT)) {
    const [file = ''] = groups
    if (group !== undefined) {
      groups.push(attribute(group, 'name'))
      if (groups.length === 1)
        files.set(groups[0] as string, { tests: [], seconds: Number(attribute(group, 'time')) })
    } else if (test === undefined) groups.pop()
    else {
      const name = [...groups.slice(1), attribute(test, 'name')].join(NAME_SEPARATOR)
      files.get(file)?.tests.push(readTest(name, body))
    }
  }
  return files
}
