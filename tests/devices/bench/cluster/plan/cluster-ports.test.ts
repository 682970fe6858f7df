import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clusterPortsOf } from '../../../../../src/devices/bench/cluster/plan/cluster-ports.ts'
import { readHardwareFile } from '../../../../../src/devices/chip/hardware/hardware-file.ts'
import type { PortName, Program } from '../../../../../src/devices/pulse/schedule.ts'

const EXAMPLE = readFileSync(join(import.meta.dir, '../../../../../examples/scheduler.hardware.json'), 'utf8')

function hardwareOf(change: (content: HardwareText) => void = () => undefined) {
  const content = JSON.parse(EXAMPLE) as HardwareText
  change(content)
  const hardware = readHardwareFile(JSON.stringify(content))
  if ('problems' in hardware) throw new Error(hardware.problems.join('\n'))
  return hardware
}

interface HardwareText {
  hardware_options: Record<string, Record<string, unknown>>
}

/** A program that plays these tones. */
function playing(...tones: [PortName, number][]): Program {
  const pulses = tones.map(([port, frequency], index) => ({
    ...{ at: index * 40, duration: 20, port, frequency, phase: 0, amplitude: 0.1 },
    envelope: { shape: 'square' as const },
  }))
  return { kind: 'average', shots: 1, reset_ns: 0, points: [{ duration: 1_000, pulses, acquisitions: [] }] }
}

describe('clusterPortsOf()', () => {
  test('plays tones beside the oscillators of the hardware file', () => {
    const ports = clusterPortsOf(
      hardwareOf(),
      playing(['q0:mw', 4.42e9], ['q0_q1:fl', 310e6], ['q0:res', 6.5e9]),
    )
    expect(ports.ncoHz('q0:mw', 4.42e9)).toBe(70e6)
    expect(ports.ncoHz('q0_q1:fl', 310e6)).toBe(310e6)
    expect(ports.all.get('q0:mw')).toMatchObject({ loHz: 4.35e9, output: 0, input: undefined })
    expect(ports.all.get('q0:res')?.input?.channel).toBe('complex_input_0')
    expect(['q0:mw', 'q1:mw', 'q0:res', 'q0_q1:fl'].map((port) => ports.markers(port as PortName))).toEqual([
      1, 2, 2, 0,
    ])
    expect(ports.memory('q0:res').instructions).toBe(12_288)
  })

  test('moves an oscillator that only interm_freq fixes, so that it reaches all tones', () => {
    const hardware = hardwareOf(({ hardware_options: { modulation_frequencies: tones } }) => {
      for (const clock of ['01', '12']) if (tones) tones[`q4:mw-q4.${clock}`] = { interm_freq: 2e8 }
    })
    const oscillator = (...hz: number[]) => {
      const tones = hz.map((each): [PortName, number] => ['q4:mw', each])
      return clusterPortsOf(hardware, playing(...tones)).all.get('q4:mw')?.loHz
    }
    expect(oscillator(4.5e9, 4.25e9)).toBe(4.3e9)
    expect(oscillator(4.5e9, 3.7e9)).toBe(4.1e9)
    expect(() => oscillator(1.5e9)).toThrow('q4:mw: its oscillator reaches 2 to 18.5 GHz, not 1.3 GHz')
  })

  test('delays ports by the difference of their latencies', () => {
    const hardware = hardwareOf(({ hardware_options }) => {
      hardware_options['latency_corrections'] = { 'q0:mw-q0.01': -4e-9, 'q1:mw-q1.01': 3e-9 }
    })
    const ports = clusterPortsOf(hardware, playing())
    expect(['q0:mw', 'q1:mw', 'q2:mw'].map((port) => ports.delayNs(port as PortName))).toEqual([0, 7, 4])
  })

  test('names what a program cannot play', () => {
    const hardware = hardwareOf()
    const ports = clusterPortsOf(hardware, playing(['q0:mw', 4.42e9]))
    expect(() => ports.ncoHz('q0:mw', 4.9e9)).toThrow(
      'q0:mw: cluster0.module2.complex_output_0 plays 3850 to 4850 MHz, not 4900',
    )
    expect(() => clusterPortsOf(hardware, playing(['q9:mw', 4e9]))).toThrow('q9:mw: it is not connected')
  })
})
