import * as v from 'valibot'
import { ClusterError } from '../connection/reply.ts'

/** How a sequencer is set up for a run. */
export interface SequencerSetup {
  /** Whether it waits for the others at `wait_sync`. */
  isSynced: boolean
  /** Constant part and factor of the two paths, of full scale. */
  offset: readonly [number, number]
  gain: readonly [number, number]
  /** Whether the numerical oscillator multiplies what is played and recorded. */
  isModulated: boolean
  /** Frequency of that oscillator where programs do not set it, Hz. */
  ncoHz: number
  /** Correction of the mixer behind the output. */
  gainRatio: number
  phaseDegrees: number
  /** Length of its windows, ns; undefined for a sequencer that records nothing. */
  integrationNs: number | undefined
}

/** A sequencer that plays nothing and keeps nobody waiting. */
export const IDLE: SequencerSetup = {
  isSynced: false,
  offset: [0, 0],
  gain: [0, 0],
  isModulated: false,
  ncoHz: 0,
  gainRatio: 1,
  phaseDegrees: 0,
  integrationNs: undefined,
}

const part = v.optional(v.looseObject({}), {})
const mixer = v.looseObject({
  corr_gain_ratio: v.optional(v.number()),
  corr_phase_offset_degree: v.optional(v.number()),
})
const config = v.looseObject({
  acq: v.optional(v.array(v.looseObject({ demod: part, th_acq: part })), []),
  awg: v.pipe(
    v.array(v.looseObject({ cont_mode: part, mixer: v.optional(mixer, {}), nco: part, marker_ovr: part })),
    v.minLength(1),
  ),
  seq_proc: v.looseObject({}),
})

/** The configuration of a sequencer as its module writes it, of which most is left as it is. */
export type SequencerConfig = v.InferOutput<typeof config>

/** @throws ClusterError for a block that is no configuration. */
export function readSequencerConfig(block: Uint8Array): SequencerConfig {
  try {
    return v.parse(config, JSON.parse(Buffer.from(block).toString('utf8')))
  } catch (cause) {
    throw new ClusterError('the configuration of a sequencer is not of the known form', { cause })
  }
}

/** A configuration with a setup in place of what it had. */
export function withSetup(found: SequencerConfig, setup: SequencerSetup): SequencerConfig {
  const { isSynced, offset, gain, isModulated, ncoHz, gainRatio, phaseDegrees, integrationNs } = setup
  const [awg, ...others] = found.awg
  const [acquisition, ...otherAcquisitions] = found.acq
  return {
    ...found,
    awg: [
      {
        ...awg,
        cont_mode: { ...awg?.cont_mode, en_path: [false, false] },
        marker_ovr: { ...awg?.marker_ovr, en: false },
        mixer: {
          ...awg?.mixer,
          en: isModulated,
          corr_gain_ratio: gainRatio,
          corr_phase_offset_degree: phaseDegrees,
        },
        nco: {
          ...awg?.nco,
          freq_hz: ncoHz,
          po: 0,
          // Programs change the frequency within a shot: the demodulator has to follow the signal, not them.
          ...(integrationNs !== undefined && { delay_comp_en: true }),
        },
        offs_path: [...offset],
        gain_path: [...gain],
      },
      ...others,
    ],
    acq: acquisition
      ? [
          {
            ...acquisition,
            demod: { ...acquisition.demod, en: isModulated && integrationNs !== undefined },
            // Bits are told apart by the driver, from the signal: neither rotation nor threshold is used.
            th_acq: {
              ...acquisition.th_acq,
              discr_threshold: 0,
              rotation_matrix_a11: 1,
              rotation_matrix_a12: 0,
              ...(integrationNs !== undefined && { non_weighed_integration_len: integrationNs }),
            },
          },
          ...otherAcquisitions,
        ]
      : [],
    seq_proc: { ...found.seq_proc, sync_en: isSynced },
  }
}
