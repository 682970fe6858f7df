import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { HOUR_MS } from '../../../src/base/portable/units.ts'
import type { Slot } from '../../api/model/bookings.ts'
import { type Axis, timeAt } from './logic/axis.ts'
import { type Draft, drawn, FINE_STEP_MS, movedTo, resized, STEP_MS, snap } from './logic/draft.ts'
import type { Entry } from './logic/entries.ts'

/** Movement below which a press is no drag, px. */
const DRAG_PX = 4

/** What the pointer and the keys do with a calendar. */
export interface Actions {
  draft(): Draft | undefined
  set(draft: Draft | undefined): void
  /** The slot with an id, as a draft that changes it. */
  draftOf(id: string): Draft | undefined
  edit(entry: Entry): void
  cancel(slot: Slot): void
  /** The earliest time that may be booked. */
  earliest(): number
}

/** A drag in progress: how a time at the pointer changes the draft. */
interface Drag {
  x: number
  y: number
  moved: boolean
  before: Draft | undefined
  apply: (at: number, step: number) => Draft
  /** What a press without movement makes. */
  press: (() => void) | undefined
}

/** Pointer handlers of the columns: draw a slot, move one, drag its edges. Esc restores what was before. */
export function useDrag(
  axis: Axis,
  { scroller, ...actions }: Actions & { scroller: RefObject<HTMLElement | null> },
) {
  const drag = useRef<Drag | undefined>(undefined)
  const timeOf = (event: PointerEvent, area: Element): number => {
    const box = area.getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    const day = Math.min(axis.days.length - 1, Math.max(0, Math.floor(share * axis.days.length)))
    return timeAt(axis, day, ((event.clientY - box.top) / box.height) * axis.length)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !drag.current?.moved) return
      event.stopPropagation()
      actions.set(drag.current.before)
      drag.current = undefined
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  })
  return {
    onPointerDown(event: PointerEvent) {
      // A finger scrolls; phones have a list instead.
      if (event.button !== 0 || event.pointerType === 'touch') return
      const { currentTarget, target } = event
      if (!(currentTarget instanceof HTMLElement) || !(target instanceof Element)) return
      const begun = begin(target, timeOf(event, currentTarget), actions)
      if (!begun) return
      drag.current = { ...begun, x: event.clientX, y: event.clientY, moved: false, before: actions.draft() }
    },
    onPointerMove(event: PointerEvent) {
      const { current } = drag
      const area = event.currentTarget
      if (!current || !(area instanceof HTMLElement)) return
      if (!current.moved) {
        if (Math.hypot(event.clientX - current.x, event.clientY - current.y) < DRAG_PX) return
        current.moved = true
        area.setPointerCapture(event.pointerId)
      }
      scrollNear(scroller.current, event.clientY)
      actions.set(current.apply(timeOf(event, area), event.altKey ? FINE_STEP_MS : STEP_MS))
    },
    onPointerUp() {
      const { current } = drag
      drag.current = undefined
      if (!current) return
      if (!current.moved) current.press?.()
      scroller.current?.focus({ preventScroll: true })
      showDraft(scroller.current)
    },
    onPointerCancel() {
      if (drag.current?.moved) actions.set(drag.current.before)
      drag.current = undefined
    },
  }
}

/** What a drag from an element does; undefined where nothing can be dragged. */
function begin(target: Element, at: number, actions: Actions): Pick<Drag, 'apply' | 'press'> | undefined {
  const edge = target.closest<HTMLElement>('[data-edge]')?.dataset['edge']
  const slot = target.closest<HTMLElement>('[data-slot]')?.dataset['slot']
  const held = slot === undefined ? actions.draft() : actions.draftOf(slot)
  if (held && (slot !== undefined || target.closest('[data-draft]'))) {
    if (edge === 'start' || edge === 'end') {
      return { apply: (to, step) => resized(held, edge, to, step), press: undefined }
    }
    // The place of the pointer within the slot stays.
    return { apply: (to, step) => movedTo(held, snap(held.start + to - at, step)), press: undefined }
  }
  if (target.closest('.block') || at < actions.earliest()) return undefined
  const earliest = actions.earliest()
  return {
    apply: (to, step) => drawn(at, Math.max(to, earliest), step),
    press() {
      const start = Math.floor(at / STEP_MS) * STEP_MS
      actions.set({ start, end: start + HOUR_MS })
    },
  }
}

/** Scrolls to the draft and its dialog. */
export function showDraft(week: HTMLElement | null): void {
  for (const name of ['.draft-dialog', '.draft']) {
    week?.querySelector(name)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
}

/** Scrolls while the pointer is near the upper or lower end. */
function scrollNear(element: HTMLElement | null, y: number): void {
  if (!element) return
  const { top, bottom } = element.getBoundingClientRect()
  if (y > bottom - 24) element.scrollBy({ top: 12 })
  else if (y < top + 72) element.scrollBy({ top: -12 })
}
