import { describe, expect, test } from 'bun:test'
import { InstrumentError } from '../../../../src/devices/bench/instrument.ts'
import type { Program, Pulse } from '../../../../src/devices/pulse/schedule.ts'
import { openCluster } from '../../../support/cluster/open-cluster.ts'
import { ReplyWire, wholeWire } from '../../../support/cluster/wire.ts'

const never = new AbortController().signal

/** A readout of q0, with a rotation before it or without one. */
function program(rotates: boolean): Program<'average'> {
  const square = { phase: 0, amplitude: 0.1, envelope: { shape: 'square' as const } }
  const readout = { port: 'q0:res' as const, frequency: 6.5e9 }
  const rotation: Pulse = { ...square, at: 0, duration: 40, port: 'q0:mw', frequency: 4.42e9 }
  return {
    ...{ kind: 'average', shots: 10, reset_ns: 200 },
    points: [
      {
        duration: 1_000,
        pulses: [...(rotates ? [rotation] : []), { ...square, ...readout, at: 100, duration: 500 }],
        acquisitions: [{ ...readout, at: 200, duration: 400, qubit: 'q0' }],
      },
    ],
  }
}

describe.each(['1.0', '1.1'])('a cluster that is reserved, command set %s', (scpiVersion) => {
  test('plays the next program after one whose connection was cut', async () => {
    await using lab = await openCluster(undefined, { scpiVersion })
    const { cluster, instrument } = lab
    await instrument.open()
    const release = await instrument.reserve({ ms: 0 })
    let whileCut: string[] = []
    cluster.wire = new ReplyWire('STATE?', (reply) => {
      whileCut = synced()
      cluster.cut()
      return reply
    })
    const synced = () =>
      cluster.sequencers
        .filter(({ sequencer }) => sequencer.isSynced)
        .map(({ module, number }) => `${module.slot}.${number}`)
    const failed = instrument.run(program(true), never)
    await expect(failed).rejects.toThrow(InstrumentError)
    await expect(failed).rejects.toThrow(/STATE\?: the connection was closed$/)
    // Both wait for each other at their next start.
    expect(whileCut).toEqual(['2.0', '5.0'])
    cluster.wire = wholeWire
    const [[result] = []] = await instrument.run(program(false), never)
    expect(Number.isFinite(result?.re)).toBe(true)
    await release()
    expect(synced()).toEqual([])
  })

  test('gives up a voltage that is not answered when its user gives up', async () => {
    await using lab = await openCluster(undefined, { scpiVersion })
    const { cluster, instrument } = lab
    const giving = new AbortController()
    const release = await instrument.reserve({ ms: 0, signal: giving.signal })
    const over = new Error('the time is over')
    cluster.wire = new ReplyWire('AFE:OFFSet:DAC0?', () => {
      giving.abort(over)
      return Buffer.alloc(0)
    })
    expect(await instrument.readVolts(6, 0).catch((error: unknown) => error)).toBe(over)
    // What a coupler goes back to is still set.
    await instrument.writeVolts(6, 0, 0.25)
    expect(await instrument.readVolts(6, 0)).toBe(0.25)
    await release()
  })
})
