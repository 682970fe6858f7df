import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { splitEvents } from '../../../../ui/admin/logs/follow.ts'

const STREAM =
  ': following\n\nevent: line\ndata: {"message":"a: b"}\n\n: still here\n\nevent: dropped\ndata: {"lines":3}\n\nevent: li'

test('events are read from a stream wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), STREAM.length]
      let left = ''
      const events = places.slice(1).flatMap((to, at) => {
        const found = splitEvents(left + STREAM.slice(places[at], to))
        left = found.left
        return found.events
      })
      expect(events).toEqual([
        { name: 'line', data: '{"message":"a: b"}' },
        { name: 'dropped', data: '{"lines":3}' },
      ])
      expect(left).toBe('event: li')
    }),
  )
})
