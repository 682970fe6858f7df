import { ClusterError } from '../connection/reply.ts'
import { readAcquisitions } from '../run/acquisitions.ts'
import { selectScope } from '../run/scope.ts'
import { ACQUISITION } from '../run/upload.ts'
import { UNCONNECTED } from '../settings/channel-map.ts'
import { IDLE } from '../settings/sequencer-config.ts'
import { runSequencer } from './check-sequencers.ts'
import type { CheckedCluster, StepResult } from './checked-cluster.ts'

/** Paths of the acquisition that come from the outputs of the module itself, inside of it. */
const LOOP_BACK = [[2], [3]] as const
const WINDOW_NS = 400
/** A constant on both paths, which the loop-back brings to the scope, and one window. */
const PROGRAM = [
  'set_awg_offs 8192,8192',
  'upd_param 200',
  `acquire 0,0,${2 * WINDOW_NS}`,
  'set_awg_offs 0,0',
  'upd_param 4',
  'stop',
].join('\n')

/** Records a trace with every module that has inputs, of its own outputs, which are not connected outside. */
export async function* checkScope(cluster: CheckedCluster): AsyncGenerator<StepResult> {
  const { links, settings, loaded, modules } = cluster
  for (const [slot, { inputs, oscillators, isRf }] of modules) {
    // A QRC has a front end of its own and no such path.
    if (inputs.length === 0 || (isRf && oscillators.length === 0)) continue
    const place = { slot, sequencer: 0 }
    await settings.wire(place, {
      setup: { ...IDLE, gain: [1, 1], integrationNs: WINDOW_NS },
      outputs: UNCONNECTED,
      inputs: LOOP_BACK,
    })
    const acquisitions = { [ACQUISITION]: { index: 0, bins: 1 } }
    await loaded.load(place, { program: `${PROGRAM}\n`, waveforms: {}, acquisitions })
    await selectScope(links, place)
    await runSequencer(place, cluster, true)
    await links.module(slot).send(`SEQuencer0:ACQ:ALISt:ACQuisition:DATA "${ACQUISITION}"`)
    const all = await links.bulk(slot).exchange('SEQuencer0:ACQ:ALISt?', readAcquisitions(false))
    const recorded = all.find(({ name }) => name === ACQUISITION)
    const samples = Math.min(...(recorded?.scope ?? []).map((path) => path.samples.length))
    const isRecorded = recorded?.scope.every(({ repetitions }) => repetitions > 0) === true
    if (!isRecorded || samples < WINDOW_NS) throw new ClusterError(`slot ${slot} recorded no trace`)
    yield { subject: `slot ${slot}`, passed: true, detail: `${samples} samples by internal loop-back` }
  }
}
