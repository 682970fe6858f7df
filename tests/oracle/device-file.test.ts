import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceFile, readDeviceFile } from '../../src/devices/chip/device-file.ts'
import { openPredecessor } from '../support/python/python.ts'
import { type PythonProcess, startPython } from '../support/python/python-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { DEVICE_FILE, openBench } from '../support/tuning/acceptance/cold-run.ts'

setDefaultTimeout(300_000)

const ELEMENTS = 'qpi_driver.executors.quantify.elements'
const TRANSMON = `${ELEMENTS}.calibrated_transmon.CalibratedTransmon`
/** A file of the predecessor as people write it. q2 is not calibrated. */
const DESIGN = `# Chip of the north lab; bonded in May.
q0:
    element_type:
        path: ${TRANSMON}   # not the basic one
        args: [q0]
    reset: &reset
        duration: 0.0003    # five times T1
    rxy: {amp180: 0.5, motzoi: 0, duration: 56e-9}
    # the same for all qubits of the line
    measure: &readout {pulse_amp: 0.2, pulse_duration: 2.0e-6, acq_delay: 2.0e-7, integration_time: 1.8e-6, acq_channel: 0}
    clock_freqs:
        f01: 4420000000  # by design
        f12: 4.2e+9
        readout: .645e+10

q1:
    element_type: {path: "${TRANSMON}", args: [q1], kwargs: }
    reset: *reset
    rxy: {amp180: 0.5, motzoi: 0.0, duration: 5.6e-8}
    measure: {<<: *readout, acq_channel: 1}
    clock_freqs: {f01: 4.95e+9, f12: 4.73e+9, readout: 6.53e+9}
q2:
    element_type: {path: quantify_scheduler.device_under_test.transmon_element.BasicTransmonElement, args: [q2]}
    reset: *reset
    measure: {pulse_amp: .2, acq_channel: 2}   # broken line
    clock_freqs: {f01: 4.38e+9, f12: .nan, readout: 6.61e+9}

q0_q1:
    element_type:
        path: ${ELEMENTS}.flux_tunable_coupler.FluxTunableCoupler
        kwargs: {parent_element_name: q0, child_element_name: q1}
    clock_freqs: {cz: 3.1e+8}
    cz: {square_amp: 0.4, square_duration: 1.2e-7}
    bias: {source: spi, spi_module: 2, spi_output: 0, parking_current: 0.0}
# end
`
/** Benchmarks, which write nothing. */
const SLOW = ['randomized_benchmarking', 'purity_benchmarking', 'cz_rb', 'process_tomography', 'all_xy']

const python = await openPredecessor()
let driver: PythonProcess | undefined
if (python) driver = startPython(python, join(import.meta.dir, 'device_file.py'))
afterAll(() => driver?.[Symbol.asyncDispose]())

const contentOf = (text: string) => readDeviceFile(text) as DeviceFile

test.skipIf(!python)(
  'a calibrated file of the predecessor has the comments and forms of before, and its driver reads the values',
  async () => {
    using folder = temporaryFolder()
    const disabled = SLOW.map((name) => `  ${name}: {enabled: false}\n`).join('')
    const config = `target_qubits: [q0, q1, q0_q1]\nroutines:\n${disabled}`
    const bench = await openBench({
      folder: folder.path,
      deviceFile: DESIGN,
      config,
      seed: 3,
      isObserved: false,
    })
    const { device_file, notes = [] } = await bench.calibrate()
    expect(device_file?.changed).toBeGreaterThan(30)
    const path = join(folder.path, DEVICE_FILE)
    const calibrated = readFileSync(path, 'utf8')

    // Numbers change, parameters are added at the ends of their submodules, and what an anchor shares is
    // divided where one of its users was measured. The rest is there in its order.
    const after = calibrated.split('\n').map(withoutNumbers)
    let at = 0
    for (const line of DESIGN.split('\n').map(withoutNumbers)) {
      const start = line.replace(/(<<.*)?\}?( +#.*)?$/, '')
      const found = after.slice(at).findIndex((each) => each.startsWith(start))
      expect([line, found >= 0]).toEqual([line, true])
      at += found + 1
    }
    for (const comment of DESIGN.match(/#.*/g) ?? []) expect(calibrated).toContain(comment)
    const broken = /^q2:\n( .*\n)+/m
    expect(broken.exec(calibrated)?.[0]).toBe(broken.exec(DESIGN)?.[0] ?? '')
    expect(notes.filter((note) => note.includes('its class does not know them')).length).toBe(2)

    const read = await driver?.ask<Record<string, Record<string, number>>>({
      ask: 'load',
      name: 'chip',
      path,
    })
    const { chip } = contentOf(calibrated)
    const differences = [...chip.qubits, ...chip.edges].flatMap((element) =>
      [...element.values]
        .filter(([, value]) => typeof value === 'number')
        .map(([key, value]) => [`${element.name}.${element.keysOf(key).join('.')}`, value] as const)
        .filter(([name, value]) => read?.[element.name]?.[name.slice(element.name.length + 1)] !== value),
    )
    expect(differences).toEqual([])
    // A qubit that a class of the predecessor holds is whole there.
    expect(read?.['q0']?.['coherence.t1']).toBeGreaterThan(1e-6)
  },
)

/** The line with each number as #. */
function withoutNumbers(line: string): string {
  return line.replace(/(?<=[ :[])-?[.\d][\d_.]*(e[+-]?\d+)?(?=[ ,}\]]|$)/g, '#')
}
