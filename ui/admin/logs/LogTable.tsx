import { useApp } from '../../app/app.ts'
import { formatMoment, parseTime } from '../../lib/time.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Status } from '../../parts/Status.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { fieldsOf, type Level, type LogLine, linksOf, storedLine } from './model.ts'

const CONDITIONS = {
  debug: { tone: 'idle', glyph: 'ring' },
  info: { tone: 'idle', glyph: 'dot' },
  warn: { tone: 'warn', glyph: 'triangle' },
  error: { tone: 'bad', glyph: 'cross' },
} as const satisfies Record<Level, object>

interface LogTableProps {
  lines: readonly LogLine[]
  /** Shows the time around a line. */
  show: (at: number) => void
  search: (text: string) => void
}

/** Lines of the log, newest first. A row opens in place. */
export function LogTable({ lines, show, search }: LogTableProps) {
  return (
    <DataTable
      label="Lines of the log"
      class="folds log"
      rows={lines}
      id={({ position, time }, index) => position || `${time}/${lines.length - index}`}
      open={(_, { toggle }) => toggle()}
      columns={[
        { title: 'Time', class: 'time', cell: (line) => <Time of={line} /> },
        {
          title: 'Level',
          phone: 'state',
          cell: ({ level }) => <Status {...CONDITIONS[level]} word={level} />,
        },
        { title: 'Area', cell: ({ subject }) => subject },
        {
          title: 'Message',
          phone: 'wide',
          cell: (line, { isOpen, toggle }) => (
            <>
              <button type="button" class="link message" aria-expanded={isOpen} onClick={toggle}>
                {line.message}
              </button>{' '}
              {fieldsOf(line).map(([name, value]) => (
                <code key={name} class="pair">
                  <span class="soft">{name}=</span>
                  {value}
                </code>
              ))}
            </>
          ),
        },
      ]}
      detail={(line) => <Detail line={line} show={show} search={search} />}
    />
  )
}

/** The time of a line, with ms where its seconds are shown. */
function Time({ of }: { of: LogLine }) {
  const { zone } = useApp()
  const at = parseTime(of.time) ?? 0
  const time = formatMoment(at, Date.now(), zone.value)
  const millis = String(at % 1_000).padStart(3, '0')
  return <code title={of.time}>{/:\d\d:/.test(time) ? `${time}.${millis}` : time}</code>
}

interface DetailProps extends Omit<LogTableProps, 'lines'> {
  line: LogLine
}

function Detail({ line, show, search }: DetailProps) {
  const { config } = useApp()
  const links = linksOf(line, config.value.value?.collections ?? {})
  const driver = fieldsOf(line).find(([name]) => name === 'driver')?.[1]
  return (
    <div class="log-detail">
      <CodeBlock title="Line" text={storedLine(line)} />
      <div class="actions">
        {driver && (
          <button type="button" onClick={() => search(driver)}>
            Lines of this driver
          </button>
        )}
        <button type="button" onClick={() => search(line.message)}>
          Lines like this
        </button>
        <button type="button" onClick={() => show(parseTime(line.time) ?? 0)}>
          ± 1 min
        </button>
        {links.map(([title, href]) => (
          <a key={title} class="button" href={href}>
            {title}
          </a>
        ))}
      </div>
    </div>
  )
}
