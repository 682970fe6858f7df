import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { parseTime } from '../../lib/time.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { type Task, task, tasks } from './model.ts'

const REFRESH_MS = 5_000
const SOON_MS = 400

/** The background tasks: when they ran, how long, and when they run next. */
export function Tasks() {
  const { api, attempt, toast } = useApp()
  const list = useResource((abort) => api.get('/api/op/tasks', tasks, abort), [])
  const started = useSignal<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && list.loadSoon(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const run = async ({ id, name }: Task) => {
    if (started.peek().has(id)) return
    started.value = new Set([...started.peek(), id])
    await attempt(async () => {
      await api.post(`/api/op/tasks/${encodeURIComponent(id)}/run`, {}, task)
      toast(`Runs now: ${name}`)
    })
    started.value = new Set([...started.peek()].filter((each) => each !== id))
    list.loadSoon(SOON_MS)
  }
  const all = list.value.value?.tasks ?? []
  return (
    <>
      <Heading title="Tasks" lead={all.length > 0 && leadOf(all)} />
      <Panel title="Background tasks">
        <Loaded of={list} task="load the tasks" rows={12}>
          {({ tasks: rows }) => (
            <DataTable<Task>
              label="Background tasks"
              rows={rows}
              id={({ id }) => id}
              columns={[
                {
                  title: 'Task',
                  cell: (each) => (
                    <>
                      {sentence(each.name)}
                      <p class="soft plain">{each.summary}</p>
                      {each.error && <p class="tone-bad plain">{each.error}</p>}
                    </>
                  ),
                },
                { title: 'State', phone: 'state', cell: (each) => <State task={each} /> },
                {
                  title: 'Last run',
                  number: true,
                  cell: (each) => <Moment at={each.last_run} none="not yet" />,
                },
                {
                  title: 'Duration',
                  number: true,
                  cell: (each) => (each.duration_ms === null ? '–' : `${each.duration_ms} ms`),
                },
                { title: 'Next run', number: true, cell: (each) => nextRun(each) },
                {
                  title: 'Run',
                  untitled: true,
                  cell: (each) => (
                    <button
                      type="button"
                      aria-disabled={each.running || started.value.has(each.id)}
                      onClick={() => void run(each)}
                    >
                      Run now<span class="unseen"> {each.name}</span>
                    </button>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function State({ task: { running, error, last_run: last } }: { task: Task }) {
  if (running) return <Status tone="run" glyph="play" word="Running" />
  if (error) return <Status tone="bad" glyph="cross" word="Failed" />
  return last ? (
    <Status tone="ok" glyph="check" word="Succeeded" />
  ) : (
    <Status tone="idle" glyph="ring" word="Waits" />
  )
}

function nextRun({ next_run: next }: Task) {
  const at = parseTime(next)
  if (at !== undefined && at - Date.now() < 1_000) return 'now'
  return <Moment at={next} />
}

function leadOf(all: readonly Task[]): string {
  const failed = all.filter(({ error }) => error !== '')
  if (failed.length === 0)
    return `${sentence(formatNumberOf(all.length, 'task'))}, none failed at its last run.`
  return `${sentence(formatNumberOf(failed.length, 'task'))} failed: ${failed.map(({ name }) => name).join(', ')}.`
}
