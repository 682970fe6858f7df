/** Each would leave an element with `data-harm`, or run, if a page interpreted it as markup. */
export const CORPUS = [
  '<script data-harm>window.harmed=1</script>',
  '<img data-harm src=x onerror="window.harmed=1">',
  '"><svg data-harm onload=window.harmed=1>',
  "'><a data-harm href=javascript:window.harmed=1>x</a>",
  '</textarea></title></style><iframe data-harm srcdoc="<script>parent.harmed=1</script>"></iframe>',
  '{{constructor.constructor("window.harmed=1")()}}<b data-harm>',
  '[x](javascript:window.harmed=1) **<b data-harm>** ![x](https://evil.example/x.png)',
  '&lt;img data-harm src=x onerror=window.harmed=1&gt;',
  '\u202e<details data-harm open ontoggle=window.harmed=1>',
]

/** Marks that turn the direction of text, characters that control a terminal, and letters of many bytes. */
const CONTROLS = '\u202eright to left\u2066\u0007\u001b[31m\u0008\u007f\u200b\ufeff👩🏽‍🔬\u0301\u0301\u0301'

/** All of the corpus in one text. */
export const ALL = `${CORPUS.join(' ')} ${CONTROLS}`

/** Without what texts of people refuse: marks of direction and controls. */
export const asWritten = (text: string) => text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')

/** A word that no line can hold. */
const WORD = 'W'.repeat(10_000)

/** As hostile as a field with this limit accepts: markup, letters of many bytes and a long word. */
export function hostile(limit = 12_000): string {
  const text = asWritten(`${ALL} ${WORD}`)
  return limit < ALL.length ? `${CORPUS[1]}${WORD}`.slice(0, limit) : text.slice(0, limit)
}
