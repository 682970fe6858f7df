import { saveFile } from '../lib/save-file.ts'

/** What style sheets give to an element of a plot, which a file has to carry itself. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
]
/** Pixels of an image per px of the page, for print. */
const SCALE = 2

/** Saves the first plot within an element: an SVG as SVG or PNG, a canvas as PNG. */
export async function savePlot(within: Element | null, name: string, kind: 'svg' | 'png'): Promise<void> {
  const svg = within?.querySelector('svg[role="img"]')
  const canvas = within?.querySelector('canvas')
  if (svg instanceof SVGSVGElement) {
    const text = standalone(svg)
    if (kind === 'svg') saveFile(new Blob([text], { type: 'image/svg+xml' }), `${name}.svg`)
    else await saveCanvas(await rendered(text, svg), name)
  } else if (canvas) await saveCanvas(canvas, name)
}

function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [originals, copies] = [svg, copy].map((root) => [root, ...root.querySelectorAll<SVGElement>('*')])
  for (const [index, original] of (originals ?? []).entries()) {
    const computed = getComputedStyle(original)
    for (const name of STYLES) copies?.[index]?.style.setProperty(name, computed.getPropertyValue(name))
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.style.setProperty(
    'background',
    getComputedStyle(document.documentElement).getPropertyValue('--surface'),
  )
  return new XMLSerializer().serializeToString(copy)
}

async function rendered(text: string, { width, height }: SVGSVGElement): Promise<HTMLCanvasElement> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width.baseVal.value * SCALE
  canvas.height = height.baseVal.value * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas
}

async function saveCanvas(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const image = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (image) saveFile(image, `${name}.png`)
}
