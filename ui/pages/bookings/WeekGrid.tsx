import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { HOUR_MS } from '../../../src/base/portable/units.ts'
import { dateIn, timeOfDay } from '../../lib/zone.ts'
import { titleOfDraft } from './DraftForm.tsx'
import { type Axis, type Block, blocksOf, linesOf, odditiesOf, offsetOf } from './logic/axis.ts'
import { overlapping, type Range } from './logic/conflicts.ts'
import { formatLength, formatTimes } from './logic/draft.ts'
import { bookedWithin, type Entry, titleOf } from './logic/entries.ts'
import { formatDay } from './logic/week.ts'
import { mayChange, type Plan, type Shown } from './plan.ts'
import { type Actions, showDraft, useDrag } from './use-drag.ts'

/** Height of an hour, px. */
const HOUR_PX = 38
const px = (minutes: number) => `${(minutes / 60) * HOUR_PX}px`
/** The hour at the top of a week without the current day. */
const MORNING = 7 * 60

interface WeekGridProps extends Shown {
  label: string
  plan: Plan | undefined
  actions: Actions
  onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>) => void
  /** The fields of the draft. */
  form: ComponentChildren
}

/** Days beside each other with what occupies a QPU; slots are drawn with the pointer or the keys. */
export function WeekGrid({ label, plan, actions, onKeyDown, form, ...shown }: WeekGridProps) {
  const { axis, entries, now, zone } = shown
  const scroller = useRef<HTMLDivElement>(null)
  const today = axis.days.findIndex(({ date }) => date === dateIn(now, zone))
  const first = axis.days[0]?.date
  useEffect(() => {
    const minute = today < 0 ? MORNING : Math.max(0, offsetOf(axis, today, now) - 180)
    scroller.current?.scrollTo({ top: (minute / 60) * HOUR_PX })
  }, [first, zone, axis.days.length])
  const drag = useDrag(axis, { ...actions, scroller })
  const draft = plan?.draft
  useEffect(() => {
    // The calendar does not move below a pointer that draws.
    if (!scroller.current?.querySelector('.week-columns:active')) showDraft(scroller.current)
  }, [draft?.start, draft?.end])
  const place = draft && blocksOf(axis, draft)[0]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls of a form
    <div
      class="week"
      ref={scroller}
      role="group"
      aria-label={label}
      aria-describedby="week-keys"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys draw slots in it
      tabIndex={0}
      style={{ '--days': axis.days.length }}
      onKeyDown={onKeyDown}
    >
      <div class="week-days">
        <span class="week-corner" />
        {axis.days.map((day, at) => (
          <div key={day.date} class={at === today ? 'today' : undefined}>
            <strong>{formatDay(day.date)}</strong>
            {at === today && <span>today</span>}
            <small>{describeBooked(bookedWithin(day, entries))}</small>
          </div>
        ))}
      </div>
      <div class="week-body" style={{ height: px(axis.length) }}>
        <div class="week-hours" aria-hidden="true">
          {linesOf(axis).map(({ place, label: hour, again }) => (
            <span key={`${hour} ${place}`} style={{ top: px(place) }}>
              {hour}
              {again && ' again'}
            </span>
          ))}
          {today >= 0 && <b style={{ top: px(offsetOf(axis, today, now)) }}>{timeOfDay(now, zone)}</b>}
        </div>
        <div class="week-columns" {...drag}>
          {linesOf(axis).map(({ place }) => (
            <i key={place} class="week-line" style={{ top: px(place) }} />
          ))}
          {axis.days.map((day, at) => (
            <Column key={day.date} at={at} shown={shown} plan={plan} actions={actions} />
          ))}
        </div>
        {plan && place && (
          <dialog class="draft-dialog" open aria-labelledby="draft-title" style={besideOf(axis, place)}>
            <h2 id="draft-title">{titleOfDraft(plan, zone)}</h2>
            {form}
          </dialog>
        )}
      </div>
    </div>
  )
}

/** Where a dialog is beside a block: in the wider half of the week, and above or below as there is room. */
function besideOf({ days, length }: Axis, { day, top, bottom }: Block) {
  const isLeft = days.length > 1 && day < days.length / 2
  const column = isLeft ? day + 1 : days.length > 1 ? days.length - day : 0
  return {
    [isLeft ? 'left' : 'right']:
      `min(${isLeft ? 54 : 8}px + (100% - 46px) * ${column / days.length}, 100% - 22.5rem)`,
    ...(top < length / 2 ? { top: px(top) } : { bottom: px(length - bottom) }),
  }
}

function describeBooked(ms: number): string {
  return ms === 0 ? 'free' : `${(ms / HOUR_MS).toFixed(1)} h booked`
}

interface ColumnProps {
  at: number
  shown: Shown
  plan: Plan | undefined
  actions: Actions
}

function Column({ at, shown, plan, actions }: ColumnProps) {
  const { axis, entries, now, zone } = shown
  const day = axis.days[at]
  const past = offsetOf(axis, at, now)
  const blockIn = (range: Range) => blocksOf(axis, range).find((block) => block.day === at)
  const isToday = day !== undefined && now >= day.start && now < day.end
  return (
    <div class="week-column">
      {past > 0 && <i class="past" style={{ height: px(past) }} />}
      {odditiesOf(axis)
        .filter((oddity) => oddity.day === at)
        .map(({ top, bottom, text }) => (
          <span
            key={top}
            class={text.endsWith('again') ? 'oddity again' : 'oddity'}
            style={{ top: px(top), height: px(bottom - top) }}
          >
            {text}
          </span>
        ))}
      {entries.map((entry) => {
        const block = blockIn(entry)
        if (!block || entry.slot?.id === (plan?.draft.id ?? '-')) return null
        return <EntryBlock key={entry.key} entry={entry} block={block} shown={shown} actions={actions} />
      })}
      {plan?.nearest && blockIn(plan.nearest) && (
        <Box
          class={plan.draft.start < plan.nearest.start ? 'nearest late' : 'nearest'}
          block={blockIn(plan.nearest)}
        >
          <b>✓ {formatTimes(plan.nearest, zone)}</b>
          <span>nearest free</span>
        </Box>
      )}
      {plan && blockIn(plan.draft) && <DraftBlock plan={plan} blockIn={blockIn} zone={zone} />}
      {isToday && <i class="now" style={{ top: px(past) }} />}
    </div>
  )
}

interface EntryBlockProps {
  entry: Entry
  block: Block
  shown: Shown
  actions: Actions
}

function EntryBlock({ entry, block, shown, actions }: EntryBlockProps) {
  const { kind, mine, everyQpu, slot } = entry
  const times = formatTimes(entry, shown.zone)
  const repeats = slot?.series ? ', every week' : ''
  const content = (
    <>
      <b>{titleOf(entry)}</b>
      <span>{times}</span>
      {(everyQpu || repeats) && <span>{everyQpu ? `every QPU${repeats}` : 'every week'}</span>}
    </>
  )
  const kindClass = mine ? 'mine' : kind
  if (!mayChange(entry, shown)) {
    return (
      <Box class={kindClass} block={block} title={`${titleOf(entry)}, ${times}`}>
        {content}
      </Box>
    )
  }
  return (
    <button
      type="button"
      class={`block ${kindClass} changeable`}
      data-slot={slot?.id}
      style={styleOf(block)}
      title={`${titleOf(entry)}, ${times}: drag to move, press to change`}
      onClick={() => actions.edit(entry)}
      onKeyDown={(event) => {
        if (event.key !== 'Delete' && event.key !== 'Backspace') return
        event.stopPropagation()
        if (slot) actions.cancel(slot)
      }}
    >
      {content}
      <i class="edge from" data-edge="start" />
      <i class="edge to" data-edge="end" />
    </button>
  )
}

interface DraftBlockProps {
  plan: Plan
  blockIn: (range: Range) => Block | undefined
  zone: string
}

function DraftBlock({ plan: { draft, conflicts }, blockIn, zone }: DraftBlockProps) {
  const block = blockIn(draft)
  if (!block) return null
  const [conflict] = overlapping(draft, conflicts)
  const shared = conflict && {
    start: Math.max(conflict.start, draft.start),
    end: Math.min(conflict.end, draft.end),
  }
  const sharedBlock = shared && blockIn(shared)
  return (
    <div class={conflict ? 'block draft bad' : 'block draft'} data-draft style={styleOf(block)}>
      {sharedBlock && (
        <i
          class="shared"
          style={{ top: px(sharedBlock.top - block.top), height: px(sharedBlock.bottom - sharedBlock.top) }}
        />
      )}
      <b>
        {conflict ? '✕ ' : ''}
        {formatTimes(draft, zone)}
      </b>
      {shared && <b>Overlaps {formatLength(shared)}</b>}
      {conflict && (
        <span>
          with{' '}
          {conflict.mine
            ? 'your slot'
            : conflict.name || (conflict.kind === 'session' ? 'a session' : 'a booked slot')}
        </span>
      )}
      {!conflict && <span>{formatLength(draft)}</span>}
      <i class="edge from" data-edge="start" />
      <i class="edge to" data-edge="end" />
    </div>
  )
}

function styleOf({ top, bottom }: Block) {
  return { top: px(top), height: `calc(${px(Math.max(bottom - top, 12))} - 2px)` }
}

interface BoxProps {
  class: string
  block: Block | undefined
  title?: string
  children: ComponentChildren
}

function Box({ class: name, block, title, children }: BoxProps) {
  if (!block) return null
  return (
    <div class={`block ${name}`} style={styleOf(block)} title={title}>
      {children}
    </div>
  )
}
