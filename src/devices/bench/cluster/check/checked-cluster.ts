import type { Clock } from '../../../../base/index.ts'
import type { ModuleKind } from '../../../chip/hardware/modules.ts'
import type { InstrumentCheck } from '../../../define-device.ts'
import type { ClusterLinks } from '../dialect/links.ts'
import type { LoadedSequences } from '../run/upload.ts'
import type { ClusterSettings } from '../settings/cluster-settings.ts'

/** What the steps of a check work with. */
export interface CheckedCluster {
  links: ClusterLinks
  settings: ClusterSettings
  loaded: LoadedSequences
  modules: ReadonlyMap<number, ModuleKind>
  clock: Clock
}

/** The outcome of one step that the caller names. */
export type StepResult = Omit<InstrumentCheck, 'step'>
