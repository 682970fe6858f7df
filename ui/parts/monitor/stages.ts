import type { ReadingSeries, Stage } from '../../api/model/equipment/monitoring.ts'

/** The name that the lab gave a channel; undefined without one. */
export function nameOf(channel: string, stages: readonly Stage[]): string | undefined {
  return stages.find((stage) => stage.channel === channel)?.name
}

/** The named stages in the order of the lab, then temperatures from the coldest on, then the others. */
export function inOrder(series: readonly ReadingSeries[], stages: readonly Stage[]): ReadingSeries[] {
  const kelvin = ({ unit, mean }: ReadingSeries) =>
    unit === 'K' ? (mean.at(-1) ?? Number.MAX_VALUE) : Number.POSITIVE_INFINITY
  const place = (one: ReadingSeries) => {
    const index = stages.findIndex(({ channel }) => channel === one.channel)
    return index < 0 ? stages.length : index
  }
  return series.toSorted((one, other) => {
    if (place(one) !== place(other)) return place(one) - place(other)
    return kelvin(one) === kelvin(other) ? 0 : kelvin(one) - kelvin(other)
  })
}
