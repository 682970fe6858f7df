import { expect, test } from 'bun:test'

type Colors = Record<string, string>

const sheet = await Bun.file(new URL('../../../ui/css/tokens.css', import.meta.url)).text()
const [light = '', dark = ''] = sheet.split(":root[data-theme='dark']")
const themes: Record<string, Colors> = {
  light: colorsOf(light),
  dark: { ...colorsOf(light), ...colorsOf(dark) },
}

const BACKGROUNDS = ['bg', 'surface', 'sunken']
const FOREGROUNDS = ['ink', 'ink2', 'accent', 'copper', 'ok', 'run', 'warn', 'bad', 'idle']
const PAIRS: [foreground: string, background: string, least: number][] = [
  ...BACKGROUNDS.flatMap((background) =>
    FOREGROUNDS.map((foreground): [string, string, number] => [foreground, background, 5]),
  ),
  ['on-accent', 'accent', 5],
  ['ink', 'wash-warn', 7],
  ['ink', 'wash-bad', 7],
  ['bad', 'wash-bad', 4.5],
  ['accent', 'wash-accent', 4.5],
  ['edge', 'surface', 3],
  ['edge', 'bg', 3],
]

test.each(Object.entries(themes))(
  'colors of the %s theme have enough contrast with their background',
  (_, colors) => {
    const faint = PAIRS.map(([foreground, background, least]) => ({
      foreground,
      background,
      least,
      is: contrast(colors, foreground, background),
    }))
      .filter(({ is, least }) => !(is >= least))
      .map(({ foreground, background, is }) => `${foreground} on ${background}: ${is.toFixed(2)}`)
    expect(faint).toEqual([])
  },
)

function colorsOf(text: string): Colors {
  return Object.fromEntries(
    [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
  )
}

/** Contrast ratio of WCAG 2.2. */
function contrast(colors: Colors, ink: string, background: string): number {
  const [a = 0, b = 0] = [luminance(colors[ink]), luminance(colors[background])].sort((x, y) => y - x)
  return (a + 0.05) / (b + 0.05)
}

/** Relative luminance of WCAG 2.2. */
function luminance(hex: string | undefined): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex?.slice(at, at + 2) ?? '', 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
