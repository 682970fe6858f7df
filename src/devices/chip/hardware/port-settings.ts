import type { FileProblem } from '../files/yaml-text.ts'
import { portOf } from './connections.ts'
import type { HardwareContent } from './hardware-schema.ts'
import type { ModuleKind } from './modules.ts'

/** An imbalance of the mixer of an output, and what takes it off. */
interface MixerSettings {
  /** Offsets of the two paths: V on a baseband output, mV on an RF one. */
  offsetI: number | undefined
  offsetQ: number | undefined
  /** Ratio of the amplitudes of the two paths. */
  gainRatio: number
  /** Degrees between the two paths. */
  phaseDegrees: number
  /** The change after which the module measures the leakage of its oscillator again. */
  calibratesOscillator: 'off' | 'on_lo_freq_change' | 'on_lo_interm_freq_change'
  /** Whether it measures the other sideband again when the intermediate frequency has changed. */
  calibratesSideband: boolean
}

/** An exponential that the module takes off a flux line: time constant, ns, and amplitude. */
type Exponential = readonly [timeConstantNs: number, amplitude: number]

/** What the hardware file says of a port, over all its clocks. */
export interface PortSettings {
  /** Frequency of the local oscillator of its channel, Hz. */
  loHz: number | undefined
  /** Frequency beside the oscillator, Hz. */
  intermediateHz: number | undefined
  /** How much later than the earliest port it starts, ns. */
  delayNs: number
  /** dB; undefined leaves the attenuators as they are. */
  outputAttenuation: number | undefined
  inputAttenuation: number | undefined
  /** dB of the paths of the input; undefined leaves the amplifiers as they are. */
  inputGain: readonly [number, number] | undefined
  mixer: MixerSettings
  /** Constant part and factor of both paths of the sequencer, of full scale. */
  offset: readonly [number, number]
  gain: readonly [number, number]
  /** Undefined leaves the corrections of the output as they are. */
  distortion:
    | { exponentials: readonly (Exponential | undefined)[]; taps: readonly number[] | undefined }
    | undefined
}

type Options = HardwareContent['hardware_options']

/** Range of the offset of an RF output, mV. */
const RF_OFFSET_MV = { min: -84, max: 73 }

/**
 * The settings of every connected port. Where a port has several clocks, they agree: one sequencer plays them
 * all; so do the ports of one channel in what the channel has once.
 */
export function portSettingsOf(
  options: Options,
  ports: ReadonlyMap<string, { name: string; kind: ModuleKind }>,
  problems: FileProblem[],
): ReadonlyMap<string, PortSettings> {
  const keysOf = (name: keyof Options, belongs: (port: string) => boolean) =>
    Object.keys((options[name] ?? {}) as object).filter((key) => belongs(portOf(key)))

  /** The one value that an option has for some ports. */
  function sole<T>(name: keyof Options, belongs: (port: string) => boolean): T | undefined {
    const values = options[name] as Record<string, T>
    const [first, ...others] = keysOf(name, belongs)
    if (first === undefined) return undefined
    const other = others.find((key) => !Bun.deepEquals(values[key], values[first]))
    if (other !== undefined) {
      const message = `differs from that of ${first}, which is played by the same hardware`
      problems.push({ path: ['hardware_options', name, other], message })
    }
    return values[first]
  }

  const latencies = Object.values(options.latency_corrections)
  const earliest = Math.min(0, ...latencies)
  const settings = new Map<string, PortSettings>()
  for (const [port, { name, kind }] of ports) {
    const own = (other: string) => other === port
    const shared = (other: string) => ports.get(other)?.name === name
    const tones = options.modulation_frequencies
    const of = (key: 'lo_freq' | 'interm_freq', belongs: (port: string) => boolean) =>
      keysOf('modulation_frequencies', belongs)
        .map((each) => tones[each]?.[key])
        .find((hz) => hz !== undefined && hz !== null)
    const latency = sole<number>('latency_corrections', own) ?? 0
    const mixer = mixerOf(sole('mixer_corrections', kind.isRf ? shared : own))
    checkOffsets(mixer, kind, keysOf('mixer_corrections', own), problems)
    settings.set(port, {
      loHz: of('lo_freq', shared) ?? undefined,
      intermediateHz: of('interm_freq', own) ?? undefined,
      delayNs: Math.round((latency - earliest) * 1e9),
      outputAttenuation: sole('output_att', shared),
      inputAttenuation: sole('input_att', shared),
      inputGain: inputGainOf(sole('input_gain', shared)),
      mixer,
      ...sequencerOf(sole('sequencer_options', own)),
      distortion: distortionOf(sole('distortion_corrections', own)),
    })
  }
  return settings
}

function mixerOf(given: Options['mixer_corrections'][string] | undefined): MixerSettings {
  return {
    offsetI: given?.dc_offset_i ?? undefined,
    offsetQ: given?.dc_offset_q ?? undefined,
    gainRatio: given?.amp_ratio ?? 1,
    phaseDegrees: given?.phase_error ?? 0,
    calibratesOscillator: given?.auto_lo_cal ?? 'off',
    calibratesSideband: given?.auto_sideband_cal === 'on_interm_freq_change',
  }
}

function checkOffsets(
  { offsetI, offsetQ }: MixerSettings,
  { isRf, offsetV }: ModuleKind,
  [key = '']: readonly string[],
  problems: FileProblem[],
): void {
  const { min, max } = isRf ? RF_OFFSET_MV : { min: -offsetV, max: offsetV }
  for (const [name, offset = 0] of [
    ['dc_offset_i', offsetI],
    ['dc_offset_q', offsetQ],
  ] as const) {
    if (offset >= min && offset <= max) continue
    const message = `expected a number from ${min} to ${max} ${isRf ? 'mV' : 'V'}, got ${offset}`
    problems.push({ path: ['hardware_options', 'mixer_corrections', key, name], message })
  }
}

function inputGainOf(given: Options['input_gain'][string] | undefined): PortSettings['inputGain'] {
  if (given === undefined) return undefined
  return typeof given === 'number' ? [given, given] : [given.gain_I, given.gain_Q]
}

function sequencerOf(given: Options['sequencer_options'][string] | undefined) {
  return {
    offset: [given?.init_offset_awg_path_I ?? 0, given?.init_offset_awg_path_Q ?? 0] as const,
    gain: [given?.init_gain_awg_path_I ?? 1, given?.init_gain_awg_path_Q ?? 1] as const,
  }
}

function distortionOf(
  given: Options['distortion_corrections'][string] | undefined,
): PortSettings['distortion'] {
  if (!given) return undefined
  const { exp0_coeffs, exp1_coeffs, exp2_coeffs, exp3_coeffs, fir_coeffs } = given
  return {
    exponentials: [exp0_coeffs, exp1_coeffs, exp2_coeffs, exp3_coeffs].map((each) => each ?? undefined),
    taps: fir_coeffs ?? undefined,
  }
}
