import { describe, expect, test } from 'bun:test'
import { type DeviceFile, readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { OrderError } from '../../../../src/devices/errors.ts'
import { chooseRoutine } from '../../../../src/devices/tuning/run/choose-routine.ts'
import { scriptedRoutine } from '../../../support/tuning/scripted.ts'

const FILE = `q0: {element_type: {path: svc.BasicTransmonElement, args: [q0], kwargs: {}}}
q1: {element_type: {path: svc.BasicTransmonElement, args: [q1], kwargs: {}}}
q0_q1: {element_type: {path: svc.CompositeSquareEdge, args: [q0, q1], kwargs: {}}}
`
const ROUTINES = [
  scriptedRoutine({ name: 'rabi_oscillations' }),
  scriptedRoutine({ name: 'n_rabi_oscillations' }),
  scriptedRoutine({ name: 't1' }),
  scriptedRoutine({ name: 'cz_chevron', kind: 'edge' }),
  scriptedRoutine({ name: 'spin_lock' }),
]

function choose(routine: string, ...targets: string[]) {
  const { chip } = readDeviceFile(FILE) as DeviceFile
  const config = { targetQubits: ['q1'], targetEdges: ['q0_q1'] }
  return chooseRoutine({ routine, targets }, ROUTINES, chip, config)
}

describe('chooseRoutine()', () => {
  test('takes names, aliases and routines of the site', () => {
    expect(choose('t1', 'q0').routine.name).toBe('t1')
    expect(choose('rabi', 'q0').routine.name).toBe('rabi_oscillations')
    expect(choose('spin_lock', 'q0').routine.name).toBe('spin_lock')
  })

  test('takes each target once, of the whole chip; without targets, those of calibration.yml', () => {
    expect(choose('t1', 'q0', 'q1', 'q0').targets).toEqual(['q0', 'q1'])
    expect(choose('t1').targets).toEqual(['q1'])
    expect(choose('cz_chevron').targets).toEqual(['q0_q1'])
  })

  test.each([
    [['rabbi', 'q0'], 'unknown routine rabbi; did you mean rabi_oscillations or n_rabi_oscillations?'],
    [['tee_one', 'q0'], 'unknown routine tee_one; there are rabi_oscillations, n_rabi_oscillations, t1'],
    [['t1', 'q7'], 'the chip has no q7; choose from q0, q1'],
    [['t1', 'q0_q1'], 't1 is a routine of qubits, and q0_q1 is not one; choose from q0, q1'],
    [['cz_chevron', 'q0'], 'cz_chevron is a routine of edges, and q0 is not one; choose from q0_q1'],
  ])('refuses %j', ([routine = '', target = ''], message) => {
    expect(() => choose(routine, target)).toThrow(OrderError)
    expect(() => choose(routine, target)).toThrow(message)
  })
})
