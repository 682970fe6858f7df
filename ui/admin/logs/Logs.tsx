import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/base/portable/units.ts'
import { asApiError } from '../../api/api.ts'
import { type App, useApp } from '../../app/app.ts'
import { type Query, useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount, formatSeconds } from '../../lib/format.ts'
import { saveFile } from '../../lib/save-file.ts'
import { formatMoment } from '../../lib/time.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { LogHistogram } from './LogHistogram.tsx'
import { LogTable } from './LogTable.tsx'
import {
  addBuckets,
  type Bucket,
  histogramPart,
  LEVELS,
  type LogLine,
  logPage,
  type Range,
  SPAN_TITLES,
  SPANS,
  type Span,
} from './model.ts'
import { useTail } from './use-tail.ts'

const PAGE = 200
/** The server reads 8 MiB of the log at a time; a longer range is counted in several requests. */
const MAX_PARTS = 12
/** Lines that the page holds; older ones are loaded again when they are wanted. */
const MAX_LINES = 2_000
const COUNT_SPACING_MS = 5_000
const INTERVALS = 60

interface Shown {
  lines: readonly LogLine[]
  next: string | null
}

/** The log of the server: how much was logged when, the lines, and new lines as they come. */
export function Logs() {
  const { api } = useApp()
  const stored = useResource(async (abort) => {
    try {
      await api.get('/api/op/logs?limit=1', logPage, abort)
      return true
    } catch (error) {
      if (asApiError(error).code === 'log_not_stored') return false
      throw error
    }
  }, [])
  return (
    <Loaded of={stored} task="load the log settings" rows={8} title="Logs">
      {(isStored) => (isStored ? <StoredLog /> : <NotStored />)}
    </Loaded>
  )
}

function NotStored() {
  return (
    <>
      <Heading title="Logs" lead="This server does not store its log." />
      <Empty action={<a href="/_/settings?q=logStorage">Its settings</a>}>
        Start it with <code>--log-storage 64MiB</code> to read the log here. Without it, the log goes only to
        where the server was started.
      </Empty>
    </>
  )
}

function StoredLog() {
  const app = useApp()
  const { api } = app
  const query = useQuery()
  const { span, level, text, range } = stateOf(query)
  const now = useRef(Date.now())
  const window = range ?? { from: now.current - SPANS[span], to: now.current }
  const filter = { level, ...(text && { text }) }
  const key = [level, text, span, range?.from, range?.to].join()
  const isLive = useSignal(range === undefined)
  const older = useSignal(false)

  const list = useResource<Shown>(
    async (abort) => {
      now.current = Date.now()
      const search = new URLSearchParams({ ...filter, limit: String(PAGE), ...timesOf(range, span) })
      return api.get(`/api/op/logs?${search}`, logPage, abort)
    },
    [key],
  )
  const counts = useResource((abort) => countAll(app, filter, currentWindow(range, span), abort), [key])
  const tail = useTail(app, isLive.value && range === undefined, filter, (line) => {
    const shown = list.value.peek()
    if (!shown) return
    list.value.value = { ...shown, lines: [line, ...shown.lines].slice(0, MAX_LINES) }
    counts.loadSoon(COUNT_SPACING_MS)
  })
  useEffect(() => {
    isLive.value = range === undefined
  }, [key])
  useEffect(() => {
    // New lines would push away what is being read.
    const onScroll = () => {
      if (scrollY > 240 && isLive.peek()) isLive.value = false
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])

  const resume = () => {
    isLive.value = true
    scrollTo(0, 0)
    void list.load()
    void counts.load()
  }
  const loadOlder = async () => {
    const shown = list.value.peek()
    if (!shown?.next || older.peek()) return
    older.value = true
    try {
      const search = new URLSearchParams({
        ...filter,
        limit: String(PAGE),
        before: shown.next,
        from: new Date(window.from).toISOString(),
        ...(range && { to: new Date(range.to).toISOString() }),
      })
      const more = await api.get(`/api/op/logs?${search}`, logPage)
      list.value.value = { lines: [...shown.lines, ...more.lines], next: more.next }
    } catch (error) {
      app.toast(`Could not load older lines: ${asApiError(error).message}`, 'bad')
    }
    older.value = false
  }
  const buckets = counts.value.value?.buckets ?? []
  return (
    <>
      <Heading title="Logs" lead={leadOf(buckets, span, range)}>
        <Spans
          chosen={range ? undefined : span}
          set={(to) => query.set({ span: to === '1h' ? '' : to, from: '', to: '' })}
        />
        <button type="button" onClick={() => saveLines(list.value.peek()?.lines ?? [])}>
          Export…
        </button>
      </Heading>
      <Panel
        title={`Lines per ${intervalOf(counts.value.value?.stepMs)}`}
        aside={
          <span class="legend">
            <span>▭ info</span> <span class="tone-warn">▲ warn</span> <span class="tone-bad">✕ error</span>{' '}
            <span class="soft">drag to choose a time</span>
          </span>
        }
      >
        <div class="padded">
          <Loaded of={counts} task="count the lines" rows={3}>
            {({ stepMs }) => (
              <LogHistogram
                buckets={buckets}
                stepMs={stepMs}
                choose={({ from, to }) => query.set({ from: String(from), to: String(to) }, { push: true })}
              />
            )}
          </Loaded>
        </div>
      </Panel>
      <section class="panel log-lines" aria-label="Lines">
        <header>
          <Filters query={query} level={level} text={text} range={range} />
          <div class="actions">
            <span class="soft">{formatCount(list.value.value?.lines.length ?? 0)} lines</span>
            {range === undefined && (
              <button
                type="button"
                aria-pressed={isLive.value}
                onClick={
                  isLive.value
                    ? () => {
                        isLive.value = false
                      }
                    : resume
                }
              >
                {isLive.value ? '❚❚ Pause live' : '▶ Follow'}
              </button>
            )}
          </div>
        </header>
        {tail.problem.value && <p class="notice tone-warn">{tail.problem.value}</p>}
        <Loaded of={list} task="load the log" rows={10}>
          {({ lines, next }) => (
            <>
              {lines.length === 0 ? (
                <Empty>
                  {next ? 'No line of this part of the log matches.' : 'No line matches in this time.'}
                </Empty>
              ) : (
                <LogTable
                  lines={lines}
                  show={(around) =>
                    query.set(
                      { from: String(around - MINUTE_MS), to: String(around + MINUTE_MS) },
                      { push: true },
                    )
                  }
                  search={(wanted) => query.set({ text: wanted })}
                />
              )}
              {next && (
                <p class="more">
                  <button type="button" aria-disabled={older.value} onClick={loadOlder}>
                    {older.value ? 'Loading' : 'Older lines'}
                  </button>
                </p>
              )}
            </>
          )}
        </Loaded>
      </section>
    </>
  )
}

function stateOf(query: Query) {
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))]
  const isRange = Number.isFinite(from) && Number.isFinite(to) && from > 0 && to > from
  const range: Range | undefined = isRange ? { from, to } : undefined
  return {
    span: (Object.keys(SPANS) as Span[]).find((each) => each === query.get('span')) ?? '1h',
    level: LEVELS.find((each) => each === query.get('level')) ?? 'info',
    text: query.get('text'),
    range,
  }
}

function currentWindow(range: Range | undefined, span: Span): Range {
  if (range) return range
  // Whole intervals, so that the bars of the past do not change while the page is open.
  const step = SPANS[span] / INTERVALS
  const to = Math.ceil((Date.now() + 1) / step) * step
  return { from: to - SPANS[span], to }
}

/** Without a chosen range the list has no end, so that it continues with what is logged now. */
function timesOf(range: Range | undefined, span: Span): Record<string, string> {
  const { from, to } = currentWindow(range, span)
  const begin = { from: new Date(from).toISOString() }
  return range ? { ...begin, to: new Date(to).toISOString() } : begin
}

async function countAll(
  { api }: App,
  filter: Record<string, string>,
  { from, to }: Range,
  abort: AbortSignal,
): Promise<{ buckets: Bucket[]; stepMs: number }> {
  let buckets: Bucket[] = []
  let stepMs = 1
  let before = ''
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const search = new URLSearchParams({
      ...filter,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      buckets: String(INTERVALS),
      ...(before && { before }),
    })
    const found = await api.get(`/api/op/logs/histogram?${search}`, histogramPart, abort)
    buckets = addBuckets(buckets, found.buckets)
    stepMs = found.step_ms
    if (found.next === null) break
    before = found.next
  }
  return { buckets, stepMs }
}

function leadOf(buckets: readonly Bucket[], span: Span, range: Range | undefined): string {
  const total = buckets.reduce((sum, each) => sum + each.debug + each.info + each.warn + each.error, 0)
  const errors = buckets.reduce((sum, { error }) => sum + error, 0)
  const time = range ? 'in the chosen time' : `in the last ${SPAN_TITLES[span]}`
  return `${formatCount(total)} lines ${time}, ${errors === 1 ? '1 error' : `${formatCount(errors)} errors`}.`
}

/** The length of an interval in words. */
function intervalOf(stepMs: number | undefined): string {
  if (stepMs === undefined) return 'interval'
  if (stepMs === MINUTE_MS) return 'minute'
  return formatSeconds(Math.max(0.1, stepMs / 1_000))
}

function Spans({ chosen, set }: { chosen: Span | undefined; set: (span: Span) => void }) {
  return (
    <fieldset class="segments">
      <legend class="unseen">Time</legend>
      {(Object.keys(SPANS) as Span[]).map((span) => (
        <button key={span} type="button" aria-pressed={span === chosen} onClick={() => set(span)}>
          {SPAN_TITLES[span]}
        </button>
      ))}
    </fieldset>
  )
}

const LEVEL_TITLES = { debug: 'all', info: 'info +', warn: 'warn +', error: 'error' } as const

interface FiltersProps {
  query: Query
  level: string
  text: string
  range: Range | undefined
}

function Filters({ query, level, text, range }: FiltersProps) {
  const { zone } = useApp()
  const show = (ms: number) => formatMoment(ms, Date.now(), zone.value)
  return (
    <div class="actions log-filters">
      <input
        type="search"
        aria-label="Text that the lines contain"
        placeholder="Text in the line"
        value={text}
        maxLength={200}
        onChange={({ currentTarget }) => query.set({ text: currentTarget.value })}
      />
      <fieldset class="segments">
        <legend class="unseen">Level</legend>
        {LEVELS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === level}
            onClick={() => query.set({ level: each === 'info' ? '' : each })}
          >
            {LEVEL_TITLES[each]}
          </button>
        ))}
      </fieldset>
      {range && (
        <button type="button" class="chip" onClick={() => query.set({ from: '', to: '' })}>
          {show(range.from)} – {show(range.to)} <span aria-hidden="true">✕</span>
          <span class="unseen">, show all times</span>
        </button>
      )}
    </div>
  )
}

function saveLines(lines: readonly LogLine[]): void {
  const text = lines
    .toReversed()
    .map(({ position: _, ...line }) => JSON.stringify(line))
    .join('\n')
  saveFile(new Blob([`${text}\n`], { type: 'application/jsonl' }), 'svc-log.jsonl')
}
