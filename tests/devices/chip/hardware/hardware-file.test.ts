import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '../../../../src/base/index.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import {
  couplingOf,
  driveOf,
  readoutOf,
  unavailableGates,
} from '../../../../src/devices/chip/hardware/cross-check.ts'
import { HardwareConfig } from '../../../../src/devices/chip/hardware/hardware-config.ts'
import { type Hardware, readHardwareFile } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import { rangeOf, toneOf } from '../../../../src/devices/chip/hardware/tones.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../../examples/scheduler.hardware.json'), 'utf8')

/** The example with another text in place of one that it has. */
function changed(from: string, to: string): string {
  expect(EXAMPLE).toContain(from)
  return EXAMPLE.replace(from, to)
}

function read(text = EXAMPLE): Hardware {
  const hardware = readHardwareFile(text)
  if ('problems' in hardware) throw new Error(hardware.problems.join('\n'))
  return hardware
}

function problemsOf(text: string): readonly string[] {
  const hardware = readHardwareFile(text)
  return 'problems' in hardware ? hardware.problems : []
}

describe('a hardware file', () => {
  test('connects ports to channels of modules', () => {
    const hardware = read()
    expect(hardware.channelOf('q3:res')).toMatchObject({
      ...{ name: 'cluster0.module5.complex_output_0', slot: 5, module: 'QRM_RF' },
    })
    expect(hardware.portsOf('cluster0.module5.complex_output_0')).toEqual(
      ['q0', 'q1', 'q2', 'q3', 'q4'].map((name) => `${name}:res`),
    )
    expect(hardware.channelOf('q9:mw')).toBeUndefined()
    expect(hardware.clusters[0]).toMatchObject({
      name: 'cluster0',
      address: '192.168.0.2',
      reference: 'internal',
    })
    expect(hardware.optionsOf('q0:mw', 'q0.01')).toEqual({
      ...{
        loHz: 4.35e9,
        intermediateHz: undefined,
        outputAttenuation: 10,
        inputAttenuation: undefined,
        latency: 0,
      },
    })
  })

  test('plays LO + NCO on RF outputs, the NCO alone on baseband ones, and says what it cannot', () => {
    const hardware = read()
    expect(toneOf(hardware, 'q0:mw', 'q0.01', 4.42e9)).toMatchObject({ loHz: 4.35e9, ncoHz: 70e6 })
    expect(rangeOf(hardware, 'q0:mw', 'q0.01')).toEqual({ minHz: 3.85e9, maxHz: 4.85e9 })
    expect(toneOf(hardware, 'q0:mw', 'q0.01', 4.9e9)).toEqual({
      problem: 'q0:mw plays 3850 to 4850 MHz, not 4900',
    })
    expect(toneOf(hardware, 'q0_q1:fl', 'q0_q1.cz', 310e6)).toMatchObject({ loHz: undefined, ncoHz: 310e6 })
    expect(toneOf(hardware, 'q0_q1:fl', 'q0_q1.cz', 714e6)).toEqual({
      problem: 'q0_q1:fl plays 0 to 500 MHz, not 714',
    })
    expect(toneOf(hardware, 'q0_q1:fl', 'cl0.baseband', 0)).toMatchObject({ ncoHz: 0 })
    expect(toneOf(hardware, 'q0:mw', 'q0.01', 0)).toEqual({ problem: 'q0.01 has no frequency' })
    const byIntermediate = read(
      changed('"q4:mw-q4.01": { "lo_freq": 4.45e9 }', '"q4:mw-q4.01": { "interm_freq": 2e8 }'),
    )
    expect(toneOf(byIntermediate, 'q4:mw', 'q4.01', 4.5e9)).toMatchObject({ loHz: 4.3e9, ncoHz: 2e8 })
    expect(rangeOf(byIntermediate, 'q4:mw', 'q4.01')).toEqual({ minHz: 2.2e9, maxHz: 18.7e9 })
    const both = read(
      changed(
        '"q4:mw-q4.01": { "lo_freq": 4.45e9 }',
        '"q4:mw-q4.01": { "lo_freq": 4.45e9, "interm_freq": 7e7 }',
      ),
    )
    expect(toneOf(both, 'q4:mw', 'q4.01', 4.52e9)).toMatchObject({ ncoHz: 70e6 })
    expect(toneOf(both, 'q4:mw', 'q4.01', 4.53e9)).toMatchObject({
      problem: expect.stringContaining('do not add up'),
    })
  })

  test.each([
    ['{', '', 'line 2, column 50'],
    [
      '"QbloxHardwareCompilationConfig"',
      '"Other"',
      'line 2, column 18: config_type: expected a config_type that ends in QbloxHardwareCompilationConfig, got "Other"',
    ],
    ['"connectivity"', '"connections"', 'connectivity: missing'],
    [
      '"QCM" }',
      '"QCX" }',
      'hardware_description.cluster0.modules.6.instrument_type: expected one of QCM, QCM_RF',
    ],
    ['"6": {', '"26": {', 'hardware_description.cluster0.modules.26: expected the number of a slot, 1 to 20'],
    [
      '"cluster0.module6.real_output_0"',
      '"cluster0.module7.real_output_0"',
      'hardware_description has no module 7 of cluster0',
    ],
    [
      '"cluster0.module6.real_output_0"',
      '"cluster0.module6.real_output_9"',
      'a QCM has no channel real_output_9; it has complex_output_0',
    ],
    [
      '"cluster0.module6.real_output_0"',
      '"module6"',
      'expected a channel such as cluster0.module2.complex_output_0, got module6',
    ],
    [
      '["cluster0.module6.real_output_0", "q0_q1:fl"]',
      '["cluster0.module6.real_output_0", "q8:mw"]',
      'q8:mw plays complex pulses and needs a complex channel, not real_output_0',
    ],
    ['"q0_q1:fl"]', '"q1_q2:fl"]', 'q1_q2:fl is connected to cluster0.module6.real_output_0 already'],
    [
      '"q0:mw-q0.01": { "lo_freq": 4.35e9 }',
      '"q0:mv-q0.01": { "lo_freq": 4.35e9 }',
      'hardware_options.modulation_frequencies.q0:mv-q0.01: connectivity.graph has no q0:mv; did you mean q',
    ],
    [
      '"q0:mw-q0.01": { "lo_freq": 4.35e9 }',
      '"q0:mw-q0.01": {}',
      'q0:mw-q0.01: expected lo_freq or interm_freq',
    ],
    [
      '"q0:mw-q0.12": { "lo_freq": 4.35e9 }',
      '"q0:mw-q0.12": { "lo_freq": 4.4e9 }',
      'q0:mw-q0.12.lo_freq: cluster0.module2.complex_output_0 has one oscillator, which q0:mw-q0.01 sets to 4350000000 Hz',
    ],
    [
      '"q0:mw-q0.01": 10',
      '"q0:mw-q0.01": 11',
      'hardware_options.output_att.q0:mw-q0.01: expected an even number of dB from 0 to 60, got 11',
    ],
    [
      '"input_att": { "q0:res-q0.ro": 4 }',
      '"input_att": { "q0:res-q0.ro": 32 }',
      'expected an even number of dB from 0 to 30, got 32',
    ],
    [
      '"input_att": {',
      '"mixer_corrections": {"q0:mw-q0.01": {"amp_ratio": 3, "phase_error": 50}}, "input_att": {',
      'amp_ratio: expected a number from 0.5 to 2, got 3',
    ],
    [
      '"input_att": {',
      '"distortion_corrections": {"q0_q1:fl-cl0.baseband": {"exp0_coeffs": [3, 0.1]}}, "input_att": {',
      'exp0_coeffs.0: expected a number from 6',
    ],
    [
      '"ref": "internal"',
      '"ref": 7',
      'hardware_description.cluster0.ref: expected internal or external, got 7',
    ],
    ['"modules": {', '"slots": {', 'hardware_description.cluster0.modules: missing'],
    [
      '"Cluster"',
      '"Clustr"',
      'hardware_description.cluster0.instrument_type: expected Cluster, got "Clustr"',
    ],
    ['"Cluster"', '"LocalOscillator"', 'hardware_description: expected at least one Cluster'],
    ['"cluster0.module6.real_output_0"', '"lo0.output"', 'expected a channel such as'],
    ['"q0_q1:fl"]', '"mixer0.if"]', 'hardware_description has no mixer0'],
  ])('is refused with %s changed to %s', (from, to, reason) => {
    expect(problemsOf(changed(from, to)).join('\n')).toContain(reason)
  })

  test('reports all problems together, in the order of the file', () => {
    const text = changed('"q0:mw-q0.01": 10', '"q0:mw-q0.01": 11').replace(
      '"ref": "internal"',
      '"ref": "moon"',
    )
    expect(problemsOf(text)).toEqual([
      'line 7, column 14: hardware_description.cluster0.ref: expected internal or external, got "moon"',
      expect.stringMatching(/^line 3\d, column \d+: hardware_options.output_att/),
    ])
  })

  test('has no more ports with clocks on a module than sequencers', () => {
    const more = [5, 6, 7].map((at) => `"q${at}:mw-q${at}.01": { "lo_freq": 4.35e9 }`).join(', ')
    const text = changed('"modulation_frequencies": {', `"modulation_frequencies": { ${more},`).replace(
      '"graph": [',
      '"graph": [["cluster0.module2.complex_output_0", ["q5:mw", "q6:mw", "q7:mw"]],',
    )
    expect(problemsOf(text)).toEqual([
      expect.stringContaining('cluster0.module2 has 6 sequencers for 7 ports and clocks'),
    ])
  })

  test('loads with instruments that are not used, and names them and the ports that need them', () => {
    const hardware = read(
      JSON.stringify({
        config_type: 'quantify_scheduler.backends.qblox_backend.QbloxHardwareCompilationConfig',
        hardware_description: {
          cluster0: {
            instrument_type: 'Cluster',
            ref: 'internal',
            modules: {
              1: { instrument_type: 'QCM', complex_output_0: { marker_debug_mode_enable: true } },
              2: { instrument_type: 'QCM_RF' },
              4: { instrument_type: 'QRM_RF' },
              9: { instrument_type: 'QTM' },
            },
          },
          lo0: { instrument_type: 'LocalOscillator', power: 1 },
          mixer0: { instrument_type: 'IQMixer' },
        },
        hardware_options: {
          modulation_frequencies: {
            'q0:mw-q0.01': { lo_freq: 4.7e9 },
            'q0:res-q0.ro': { lo_freq: 6.3e9 },
            'q1:mw-q1.01': { interm_freq: 2e8 },
          },
          latency_corrections: { 'q1:mw-q1.01': 8e-9 },
          distortion_corrections: { 'q0:fl-cl0.baseband': { filter_func: 'scipy.signal.lfilter' } },
          sequencer_options: { 'c0:count-c0.ge0': { ttl_acq_threshold: 0.5 } },
        },
        connectivity: {
          graph: [
            ['cluster0.module1.complex_output_0', 'mixer0.if'],
            ['lo0.output', 'mixer0.lo'],
            ['mixer0.rf', 'q1:mw'],
            ['cluster0.module1.real_output_3', 'q0:fl'],
            ['cluster0.module2.complex_output_0', 'q0:mw'],
            ['cluster0.module2.digital_output_0', 'q0:switch'],
            ['cluster0.module4.complex_output_0', 'q0:res'],
            ['cluster0.module9.digital_input_0', 'c0:count'],
          ],
        },
      }),
    )
    expect(hardware.unused).toEqual([
      'hardware_description.lo0 (LocalOscillator)',
      'hardware_description.mixer0 (IQMixer)',
      'hardware_description.cluster0.modules.9 (QTM)',
    ])
    expect(hardware.unplayable).toEqual([
      'q1:mw: it is on mixer0 (IQMixer), which is not used',
      'q0:switch: cluster0.module2.digital_output_0 is a digital output, which plays no pulses',
      'c0:count: it is on module 9 of cluster0 (QTM), which is not used',
      'q0:fl: hardware_options.distortion_corrections.q0:fl-cl0.baseband.filter_func: corrections in software are not available; use exp0_coeffs to exp3_coeffs and fir_coeffs',
    ])
    expect([...(hardware.clusters[0]?.modules ?? [])]).toEqual([
      [1, 'QCM'],
      [2, 'QCM_RF'],
      [4, 'QRM_RF'],
    ])
    expect(toneOf(hardware, 'q0:mw', 'q0.01', 4.8e9)).toMatchObject({ ncoHz: 100e6 })
    expect(toneOf(hardware, 'q1:mw', 'q1.01', 4.8e9)).toEqual({
      problem: 'q1:mw cannot be played: it is on mixer0 (IQMixer), which is not used',
    })
    expect(toneOf(hardware, 'q0:fl', 'cl0.baseband', 0)).toMatchObject({
      problem: expect.stringContaining('corrections in software are not available'),
    })
  })

  test('loads with a local oscillator that nothing names, and says so', () => {
    // As quantify-scheduler saves it: `modulation_frequencies` of this chip need no external oscillator.
    const module = (instrument_type: string) => ({ instrument_type })
    const file = {
      config_type: 'quantify_scheduler.backends.qblox_backend.QbloxHardwareCompilationConfig',
      hardware_description: {
        cluster0: {
          instrument_type: 'Cluster',
          ref: 'internal',
          modules: { 2: module('QCM_RF'), 4: module('QRM_RF') },
        },
        lo_spare: { instrument_type: 'LocalOscillator', power: 1 },
      },
      hardware_options: {
        modulation_frequencies: {
          'q0:mw-q0.01': { lo_freq: 4.7e9 },
          'q0:res-q0.ro': { lo_freq: 6.3e9 },
        },
      },
      connectivity: {
        graph: [
          ['cluster0.module2.complex_output_0', 'q0:mw'],
          ['cluster0.module4.complex_output_0', 'q0:res'],
        ],
      },
    }
    const { unused, unplayable } = read(JSON.stringify(file))
    expect({ unused, unplayable }).toEqual({
      unused: ['hardware_description.lo_spare (LocalOscillator)'],
      unplayable: [],
    })
  })

  test('is refused in plain words, whatever is wrong with it', () => {
    const path = ['hardware_description', 'cluster0', 'modules', '2']
    const wrong = [null, 7, 'x', [], {}, true]
    for (let depth = 0; depth <= path.length; depth++) {
      for (const value of wrong) {
        const content = JSON.parse(EXAMPLE)
        if (depth === 0) expectPlain(problemsOf(JSON.stringify(value)))
        let at = content
        for (const key of path.slice(0, depth - 1)) at = at[key]
        at[path[depth - 1] ?? 'connectivity'] = value
        expectPlain(problemsOf(JSON.stringify(content)))
      }
    }
    function expectPlain(problems: readonly string[]): void {
      expect(problems.length).toBeGreaterThan(0)
      for (const problem of problems)
        expect(problem).not.toMatch(/Invalid|Expected|received|undefined|Object/)
    }
  })

  test('names the options that it does not use', () => {
    expect(read(changed('"output_att"', '"crosstalk": {}, "output_att"')).unused).toEqual([
      'hardware_options.crosstalk',
    ])
  })
})

describe('a chip on hardware', () => {
  const device =
    readDeviceFile(`q1: {element_type: {path: a.BasicTransmonElement}, clock_freqs: {f01: 4.95e9, readout: 6.5e9}}
q9: {element_type: {path: a.BasicTransmonElement}, clock_freqs: {f01: 4.95e9, readout: 6.5e9}}
q1_q9: {element_type: {path: a.CompositeSquareEdge, args: [q1, q9]}}
`)
  if ('problems' in device) throw new Error(device.problems.join())

  test('plays each gate on a port with a clock', () => {
    const { chip } = device
    const [qubit, edge] = [chip.qubits[0], chip.edges[0]]
    if (!(qubit && edge)) throw new Error('no elements')
    expect(driveOf(qubit)).toEqual({ port: 'q1:mw', clock: 'q1.01', hz: 4.95e9 })
    expect(readoutOf(qubit)).toEqual({ port: 'q1:res', clock: 'q1.ro', hz: 6.5e9 })
    expect(couplingOf(edge, chip)).toEqual({ port: 'q1:fl', clock: 'cl0.baseband', hz: 0 })
  })

  test('has a line for each gate that it cannot do', () => {
    expect(unavailableGates(device.chip, read())).toEqual([
      'drive of q9 unavailable: q9:mw not connected',
      'readout of q9 unavailable: q9:res not connected',
      'CZ q1-q9 unavailable: q1:fl not connected',
    ])
  })

  test('has gates that need two frequencies of one oscillator', () => {
    const text = EXAMPLE.replaceAll(/"q[34]:res-q[34].ro": \{ "lo_freq": 6.6e9 \}/g, (option) =>
      option.replace('"lo_freq": 6.6e9', '"interm_freq": 1e8'),
    ).replaceAll(/"q[012]:res-q[012].ro": \{ "lo_freq": 6.6e9 \},/g, '')
    const two = readDeviceFile(
      ['q3', 'q4']
        .map(
          (name, at) =>
            `${name}: {element_type: {path: a.BasicTransmonElement}, clock_freqs: {f01: 4.6e9, readout: ${6.6 + at / 10}e9}}\n`,
        )
        .join(''),
    )
    if ('problems' in two) throw new Error(two.problems.join())
    expect(unavailableGates(two.chip, read(text))).toEqual([
      'readout of q4 unavailable: cluster0.module5.complex_output_0 has one oscillator, at 6500000000 Hz for the readout of q3; set lo_freq',
    ])
  })
})

describe('the hardware config of a driver', () => {
  test('applies from the start on; a change is logged once', () => {
    const path = join(folder.path, 'scheduler.hardware.json')
    writeFileSync(path, EXAMPLE)
    const warnings: string[] = []
    const log: Log = { ...silentLog, warn: (text) => void warnings.push(text) }
    const config = new HardwareConfig(path, log)
    config.reportChange()
    expect(warnings).toEqual([])
    writeFileSync(path, changed('4.35e9', '4.3e9'))
    config.reportChange()
    config.reportChange()
    expect(warnings).toEqual(['hardware config changed; restart the driver to use it'])
    expect(config.hardware.optionsOf('q0:mw', 'q0.01').loHz).toBe(4.35e9)
    writeFileSync(path, '{}')
    expect(() => new HardwareConfig(path, log)).toThrow(
      /is not a hardware file\n {2}line 1, column 1: config_type: missing/,
    )
  })
})
