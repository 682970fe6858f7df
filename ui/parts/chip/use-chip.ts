import { useMemo } from 'preact/hooks'
import { calibrationValues } from '../../api/model/qpus/chip.ts'
import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { type Chip, readChip } from '../../plots/chip/chip.ts'
import { type Limits, limitOf, readLimits } from '../../plots/chip/limits.ts'
import type { Metric } from '../../plots/chip/metric.ts'
import { type Shown, showMetric } from '../../plots/chip/shown.ts'

/** A chip with the metrics that the address chooses. */
export interface ChipState {
  chip: Chip
  limits: Limits
  qubits: Shown
  couplers: Shown
}

/**
 * The chip of a QPU with the values of its calibrations, the same for every role; undefined without a
 * description of qubits.
 */
export function useChip(qpu: QpuDetail | undefined): ChipState | undefined {
  const { api, account } = useApp()
  const query = useQuery()
  const signedIn = account.value !== undefined
  const calibrated = qpu?.calibration?.at ?? ''
  const values = useResource(
    async (abort) => {
      if (!qpu || !calibrated) return []
      const path = `/api/calibration/values?qpu=${qpu.id}`
      return (await api.get(path, calibrationValues, abort)).values
    },
    [signedIn, qpu?.id, calibrated],
  )
  const described = qpu?.description
  const measured = values.value.value
  const chip = useMemo(
    () => (described && described.qubits.length > 0 ? readChip(described, measured ?? []) : undefined),
    [described, measured],
  )
  const limits = useMemo(() => readLimits(qpu?.device_config), [qpu?.device_config])
  const [metric, edge] = [query.get('metric'), query.get('edge')]
  const log = query.get('log') === '1'
  return useMemo(() => {
    if (!chip) return undefined
    const show = (metrics: readonly Metric[], elements: Chip['qubits'], wanted: string) => {
      const chosen = metrics.find(({ id }) => id === wanted) ?? metrics[0]
      return showMetric(chosen, elements, { log, limit: limitOf(limits, chosen) })
    }
    return {
      chip,
      limits,
      qubits: show(chip.qubitMetrics, chip.qubits, metric),
      couplers: show(chip.couplerMetrics, chip.couplers, edge),
    }
  }, [chip, limits, metric, edge, log])
}
