import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../../examples/scheduler.hardware.json'), 'utf8')

/** The example with other options. */
function withOptions(options: object) {
  const content = JSON.parse(EXAMPLE)
  Object.assign(content.hardware_options, options)
  return readHardwareFile(JSON.stringify(content))
}

function settingsOf(port: string, options: object) {
  const hardware = withOptions(options)
  if ('problems' in hardware) throw new Error(hardware.problems.join('\n'))
  return hardware.settingsOf(port)
}

function problemsOf(options: object): string {
  const hardware = withOptions(options)
  return 'problems' in hardware ? hardware.problems.join('\n') : ''
}

describe('settings of a port', () => {
  test('are what its clocks and those of its channel say', () => {
    const options = {
      input_att: { 'q0:res-q0.ro': 4 },
      input_gain: { 'q0:res-q0.ro': { gain_I: 2, gain_Q: 3 } },
      mixer_corrections: {
        'q0:res-q0.ro': { dc_offset_i: -3.5, amp_ratio: 0.99, phase_error: -1.1, auto_lo_cal: 'off' },
        'q0:mw-q0.01': { auto_lo_cal: 'on_lo_freq_change', auto_sideband_cal: 'on_interm_freq_change' },
      },
      sequencer_options: { 'q0:mw-q0.01': { init_gain_awg_path_I: 0.5, init_offset_awg_path_Q: -0.1 } },
      distortion_corrections: { 'q0_q1:fl-q0_q1.cz': { exp1_coeffs: [300, -0.02] } },
    }
    // The attenuator, the amplifier and the mixer belong to the channel that both share.
    expect(settingsOf('q1:res', options)).toMatchObject({
      ...{ inputAttenuation: 4, inputGain: [2, 3], offset: [0, 0], gain: [1, 1], distortion: undefined },
      mixer: { offsetI: -3.5, gainRatio: 0.99, phaseDegrees: -1.1, calibratesOscillator: 'off' },
    })
    expect(settingsOf('q0:mw', options)).toMatchObject({
      ...{ offset: [0, -0.1], gain: [0.5, 1] },
      mixer: { gainRatio: 1, calibratesOscillator: 'on_lo_freq_change', calibratesSideband: true },
    })
    expect(settingsOf('q0_q1:fl', options)?.distortion).toEqual({
      exponentials: [undefined, [300, -0.02], undefined, undefined],
      taps: undefined,
    })
  })

  test('agree where the hardware is the same', () => {
    expect(problemsOf({ output_att: { 'q0:res-q0.ro': 20, 'q1:res-q1.ro': 22 } })).toContain(
      'output_att.q1:res-q1.ro: differs from that of q0:res-q0.ro, which is played by the same hardware',
    )
    expect(problemsOf({ latency_corrections: { 'q0:mw-q0.01': 1e-9, 'q0:mw-q0.12': 2e-9 } })).toContain(
      'latency_corrections.q0:mw-q0.12: differs from that of q0:mw-q0.01',
    )
  })

  test('are within the range of the module', () => {
    expect(problemsOf({ mixer_corrections: { 'q0:mw-q0.01': { dc_offset_i: 80 } } })).toContain(
      'mixer_corrections.q0:mw-q0.01.dc_offset_i: expected a number from -84 to 73 mV, got 80',
    )
    expect(problemsOf({ mixer_corrections: { 'q0_q1:fl-q0_q1.cz': { dc_offset_q: 3 } } })).toContain(
      'dc_offset_q: expected a number from -2.5 to 2.5 V, got 3',
    )
    expect(problemsOf({ input_gain: { 'q0:res-q0.ro': 27 } })).toContain('from -6 to 26')
    expect(problemsOf({ mixer_corrections: { 'q0:mw-q0.01': { auto_lo_cal: 'on' } } })).toContain(
      'auto_lo_cal: expected one of off, on_lo_freq_change, on_lo_interm_freq_change, got "on"',
    )
  })
})
