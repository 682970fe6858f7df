import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { MapAxis } from './SweepMap.tsx'
import { tickText } from './ticks.ts'

/** The values of a map along one of its axes. */
interface Cut {
  along: MapAxis
  values: readonly number[]
  /** Indices of the values in the map. */
  places: readonly number[]
  /** The value of the other axis: `phi = 0.5`. */
  at: string
}

interface MapCutProps {
  x: MapAxis
  y: MapAxis
  z: readonly number[]
  children: (cut: Cut) => ComponentChildren
}

/** Chooses a row or a column of a map, and shows it as a line. */
export function MapCut({ x, y, z, children }: MapCutProps) {
  const chosen = useSignal('')
  const cuts = [...cutsOf(x, y, z, (along, fixed) => fixed * x.values.length + along)].concat(
    cutsOf(y, x, z, (along, fixed) => along * x.values.length + fixed),
  )
  const cut = cuts.find(({ at }) => at === chosen.value)
  return (
    <>
      <div class="toolbar">
        <label class="beside">
          Cut at
          <select value={chosen.value} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
            <option value="">none</option>
            {cuts.map(({ at }) => (
              <option key={at}>{at}</option>
            ))}
          </select>
        </label>
      </div>
      {cut && children(cut)}
    </>
  )
}

function cutsOf(
  along: MapAxis,
  across: MapAxis,
  z: readonly number[],
  placeOf: (along: number, fixed: number) => number,
): Cut[] {
  const shown = across.values.map((value) => value / across.factor)
  return shown.map((value, fixed) => {
    const places = along.values.map((_, index) => placeOf(index, fixed))
    const values = places.map((place) => z[place] ?? Number.NaN)
    return { along, values, places, at: `${across.title} = ${tickText(value, shown)}` }
  })
}
