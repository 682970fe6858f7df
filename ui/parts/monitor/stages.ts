import type { ReadingSeries, Stage } from '../../api/model/equipment/monitoring.ts'

/** The name that the lab gave a channel; undefined without one. */
export function nameOf(channel: string, stages: readonly Stage[]): string | undefined {
  return stages.find((stage) => stage.channel === channel)?.name
}

/** The named stages in the order of the lab, then temperatures from the coldest on, then the others. */
export function inOrder<
  C extends Pick<ReadingSeries, 'channel' | 'unit'> & { value?: number | null | undefined },
>(series: readonly C[], stages: readonly Stage[]): C[] {
  const kelvin = ({ unit, value }: C) =>
    unit === 'K' ? (value ?? Number.MAX_VALUE) : Number.POSITIVE_INFINITY
  const place = (one: C) => {
    const index = stages.findIndex(({ channel }) => channel === one.channel)
    return index < 0 ? stages.length : index
  }
  return series.toSorted((one, other) => {
    if (place(one) !== place(other)) return place(one) - place(other)
    return kelvin(one) === kelvin(other) ? 0 : kelvin(one) - kelvin(other)
  })
}
