import { describe, expect, test } from 'bun:test'
import { InstrumentError } from '../../../../src/devices/bench/instrument.ts'
import type { Hardware } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import type { Program, Pulse } from '../../../../src/devices/pulse/schedule.ts'
import { imbalanceAt } from '../../../support/cluster/module/sequencer.ts'
import { EXAMPLE_HARDWARE, openCluster, readHardware } from '../../../support/cluster/open-cluster.ts'
import type { AcquisitionSource, PlayedSequencer } from '../../../support/cluster/run/played-run.ts'
import { seededSource } from '../../../support/cluster/run/seeded-source.ts'
import { SkippingClock } from '../../../support/cluster/skipping-clock.ts'

const never = new AbortController().signal
const LO = 4.35e9

/** A rotation of q0 at a frequency beside the oscillator, Hz, and its readout. */
function program(beside: number): Program<'average'> {
  const square = { phase: 0, amplitude: 0.1, envelope: { shape: 'square' as const } }
  const readout = { port: 'q0:res' as const, frequency: 6.5e9 }
  const rotation: Pulse = { ...square, at: 0, duration: 40, port: 'q0:mw', frequency: LO + beside }
  return {
    ...{ kind: 'average', shots: 10, reset_ns: 200 },
    points: [
      {
        duration: 1_000,
        pulses: [rotation, { ...square, ...readout, at: 100, duration: 500 }],
        acquisitions: [{ ...readout, at: 200, duration: 400, qubit: 'q0' }],
      },
    ],
  }
}

/** The example with an entry of `mixer_corrections` for q0, and with this reference. */
function hardwareWith(mixer: object, ref = 'internal', decibels = 10): Hardware {
  return readHardware(
    JSON.stringify({
      config_type: 'QbloxHardwareCompilationConfig',
      hardware_description: {
        cluster0: {
          ...{ instrument_type: 'Cluster', ref, ip: '192.168.0.2' },
          modules: { '2': { instrument_type: 'QCM_RF' }, '5': { instrument_type: 'QRM_RF' } },
        },
      },
      hardware_options: {
        modulation_frequencies: { 'q0:mw-q0.01': { lo_freq: LO }, 'q0:res-q0.ro': { lo_freq: 6.6e9 } },
        output_att: { 'q0:mw-q0.01': decibels },
        mixer_corrections: { 'q0:mw-q0.01': mixer },
      },
      connectivity: {
        graph: [
          ['cluster0.module2.complex_output_0', 'q0:mw'],
          ['cluster0.module5.complex_output_0', 'q0:res'],
        ],
      },
    }),
  )
}

/** A source that notes the sequencers of the last run. */
function noting(): AcquisitionSource & { played: readonly PlayedSequencer[] } {
  const source = seededSource(1)
  return {
    played: [],
    async record(run) {
      this.played = run.sequencers
      return source.record(run)
    },
  }
}

describe.each(['1.0', '1.1'])('a cluster with command set %s', (scpiVersion) => {
  async function open(hardware: Hardware) {
    const source = noting()
    const lab = await openCluster(hardware, { scpiVersion, source })
    return {
      ...{ ...lab, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() },
      calibrations: () => lab.cluster.log.flatMap(({ text }) => (text.includes('MIXer:') ? [text] : [])),
      /** What corrects the mixer of q0 while it plays. */
      correction: () => source.played.find(({ slot }) => slot === 2)?.config.awg[0]?.mixer,
    }
  }

  test('has the modules calibrate their mixers, once for a frequency', async () => {
    const asked = { auto_lo_cal: 'on_lo_freq_change', auto_sideband_cal: 'on_interm_freq_change' }
    await using lab = await open(hardwareWith(asked))
    const { instrument, cluster } = lab
    await instrument.run(program(70e6), never)
    expect(lab.calibrations()).toEqual(['SLOT2:MIXer:LO:CALIB 0', 'SLOT2:MIXer:SIDEbands:CALIB 0'])
    const { gainRatio, phaseDegrees } = imbalanceAt(70e6)
    expect(lab.correction()).toMatchObject({
      ...{ en: true, corr_gain_ratio: gainRatio, corr_phase_offset_degree: phaseDegrees },
    })
    expect(cluster.modules.get(2)?.frontEnd.values.get('AFE:OFFSet:OUTAMP1')).toBe(1)
    // A little beside it, the same holds.
    await instrument.run(program(72e6), never)
    expect(lab.calibrations()).toHaveLength(2)
    expect(lab.correction()).toMatchObject({ corr_gain_ratio: gainRatio })
    await instrument.run(program(-120e6), never)
    expect(lab.calibrations().slice(2)).toEqual(['SLOT2:MIXer:SIDEbands:CALIB 0'])
    expect(lab.correction()).toMatchObject({ corr_gain_ratio: imbalanceAt(-120e6).gainRatio })
    expect(cluster.sequencers.flatMap(({ sequencer }) => sequencer.outputs.flat())).toEqual([])
  })

  test('has the leakage calibrated for another tone when the file asks for that', async () => {
    await using lab = await open(hardwareWith({ auto_lo_cal: 'on_lo_interm_freq_change', amp_ratio: 0.98 }))
    await lab.instrument.run(program(70e6), never)
    await lab.instrument.run(program(-120e6), never)
    expect(lab.calibrations()).toEqual(Array(2).fill('SLOT2:MIXer:LO:CALIB 0'))
    expect(lab.correction()).toMatchObject({ corr_gain_ratio: 0.98 })
  })

  test('names an attenuation that the module does not have', async () => {
    await using lab = await open(hardwareWith({}, 'internal', 40))
    const module = lab.cluster.modules.get(2)
    if (!module) throw new Error('there is no module')
    module.frontEnd.maxAttenuation = 30
    const failed = lab.instrument.run(program(70e6), never)
    await expect(failed).rejects.toThrow(
      'q0:mw: output_att is 40 dB, and the module in slot 2 has at most 30 dB',
    )
    expect(module.frontEnd.values.get('AFE:ATT:OUT0')).toBe(0)
    module.frontEnd.maxAttenuation = 60
    await lab.instrument.run(program(70e6), never)
    expect(module.frontEnd.values.get('AFE:ATT:OUT0')).toBe(40)
  })

  test('fails in the words of a module that does not calibrate', async () => {
    await using lab = await open(hardwareWith({ auto_sideband_cal: 'on_interm_freq_change' }))
    const [sequencer] = lab.cluster.modules.get(2)?.sequencers ?? []
    if (!sequencer) throw new Error('there is no sequencer')
    sequencer.calibrateSidebands = () => {
      lab.cluster.modules.get(2)?.commands.errors.add('-200,"Execution error;no convergence"')
      return undefined
    }
    const failed = lab.instrument.run(program(70e6), never)
    await expect(failed).rejects.toThrow(InstrumentError)
    await expect(failed).rejects.toThrow(
      'the module in slot 2 could not calibrate the sidebands of q0:mw: -200,"Execution error;no convergence"',
    )
  })

  test('follows the reference of the hardware file, and leaves the right one alone', async () => {
    const { instrument, cluster, ...lab } = await open(hardwareWith({}, 'external'))
    await using _ = lab
    cluster.hasExternalReference = true
    await instrument.open()
    expect(cluster.reference).toBe('external')
    await instrument.run(program(70e6), never)
    const changes = cluster.log.filter(({ text }) => /REFerence:SRC \d/.test(text))
    expect(changes.map(({ text }) => text)).toEqual(['STATus:QUEStionable:FREQuency:REFerence:SRC 0'])
    const { values } = (await instrument.snapshot()) as { values: Record<string, string> }
    expect(Object.values(values)).toContain('external')
  })
})

test('a cluster without a signal at its reference input fails what would play on it', async () => {
  const clock = new SkippingClock(0)
  const hardware = hardwareWith({}, 'external')
  await using lab = await openCluster(hardware, {}, clock)
  await expect(lab.instrument.run(program(70e6), never)).rejects.toThrow(
    'the clocks of the cluster do not follow the external reference',
  )
  lab.cluster.hasExternalReference = true
  const [[result] = []] = await lab.instrument.run(program(70e6), never)
  expect(Number.isFinite(result?.re)).toBe(true)
})

test('a cluster keeps the clocks that follow the right reference', async () => {
  await using lab = await openCluster(EXAMPLE_HARDWARE)
  await lab.instrument.open()
  expect(lab.cluster.log.some(({ text }) => /REFerence:SRC \d/.test(text))).toBe(false)
})
