import { milliamps, type SpiOutput } from '../coupler-bias.ts'
import { type CurrentOutput, OutputError } from '../output.ts'
import type { ChipAddress, RackController } from './controller.ts'

/** The converters have 18 bits. */
const CODES = 2 ** 18
/** Which of the 8 converters of a module drives each of its outputs; each chip has two of them. */
const CONVERTERS = [7, 6, 3, 2]
/** Full scale of the bipolar spans, A, by their number. */
const FULL_SCALE: Readonly<Record<number, number>> = { 2: 50e-3, 4: 25e-3 }

/** Commands of a converter (LTC2758), in the upper half of the first byte. */
const SET_CODE = 0x70
const READ_CODE = 0xd0
const READ_SPAN = 0xc0

/**
 * Opens an output of an S4g current source module, without changing its span or code: the output would jump.
 * @throws OutputError when the rack does not reply, or the output has another span than the bipolar ones.
 */
export async function openS4gOutput(rack: RackController, output: SpiOutput): Promise<CurrentOutput> {
  const converter = new Converter(rack, output)
  const span = await converter.readSpan()
  const fullScale = FULL_SCALE[span]
  if (fullScale === undefined) {
    throw new OutputError(
      `it has span ${span}, expected 2 (±50 mA) or 4 (±25 mA); set it with the software of its makers, at 0 mA`,
    )
  }
  const opened = new S4gOutput(converter, span, fullScale)
  await opened.read()
  return opened
}

/** The registers of the converter behind one output. */
class Converter {
  readonly #rack: RackController
  readonly #chip: ChipAddress
  /** Selects the converter on its chip. */
  readonly #select: number

  constructor(rack: RackController, { module, output }: SpiOutput) {
    const converter = CONVERTERS[output]
    if (converter === undefined) throw new OutputError(`a module has the outputs 0 to 3, not ${output}`)
    this.#rack = rack
    this.#chip = { module, chip: converter >> 1 }
    this.#select = (converter & 1) << 1
  }

  async readSpan(): Promise<number> {
    const [, , span = 0] = await this.#rack.read(this.#chip, this.#command(READ_SPAN))
    return span
  }

  async readCode(): Promise<number> {
    return codeOf(await this.#rack.read(this.#chip, this.#command(READ_CODE)))
  }

  unlock(): Promise<void> {
    return this.#rack.unlock()
  }

  /** Sets the code and returns the one read back. */
  async setCode(code: number): Promise<number> {
    const bytes = [SET_CODE | this.#select, code >> 10, (code >> 2) & 0xff, (code & 3) << 6]
    return codeOf(await this.#rack.writeAndRead(this.#chip, bytes, this.#command(READ_CODE)))
  }

  #command(code: number): number[] {
    return [code | this.#select, 0, 0, 0]
  }
}

function codeOf([, high = 0, middle = 0, low = 0]: Uint8Array): number {
  return (high << 10) | (middle << 2) | (low >> 6)
}

/**
 * Currents by the published interface of the module (spirack 0.2, `S4g_module.py`), in which a higher code is
 * a higher current: I = code · 2 · full scale / 2¹⁸ − full scale. Device files have their signs from it.
 */
class S4gOutput implements CurrentOutput {
  readonly #converter: Converter
  readonly #span: number
  readonly #fullScale: number
  #isUnlocked = false

  constructor(converter: Converter, span: number, fullScale: number) {
    this.#converter = converter
    this.#span = span
    this.#fullScale = fullScale
  }

  get resolution(): number {
    return (2 * this.#fullScale) / CODES
  }

  get range(): readonly [number, number] {
    return [this.#amps(1), this.#amps(CODES - 2)]
  }

  async read(): Promise<number> {
    this.#isUnlocked = false
    const span = await this.#converter.readSpan()
    if (span !== this.#span) throw new OutputError(`its span changed from ${this.#span} to ${span}`)
    const code = await this.#converter.readCode()
    if (code === 0 || code === CODES - 1) {
      throw new OutputError(
        `it reads ${milliamps(this.#amps(code))}, the end of its range, which modules also report before their first use; check it and set it to 0 with the software of its makers`,
      )
    }
    return this.#amps(code)
  }

  /** A controller that lost its power ignores writes until `read` has checked the span again. */
  async write(amps: number): Promise<number> {
    const code = Math.round((amps + this.#fullScale) / this.resolution)
    if (!(code > 0 && code < CODES - 1)) {
      throw new OutputError(`${milliamps(amps)} is outside the range of the module`)
    }
    if (!this.#isUnlocked) await this.#converter.unlock()
    this.#isUnlocked = true
    return this.#amps(await this.#converter.setCode(code))
  }

  #amps(code: number): number {
    return code * this.resolution - this.#fullScale
  }
}
