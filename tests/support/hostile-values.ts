import fc from 'fast-check'

/** Texts in which shells and languages see a meaning. */
export const hostile = fc.oneof(
  fc.constantFrom(
    "'; rm -rf /; '",
    '$(reboot)',
    '`id`',
    '"',
    '\\',
    "\\'",
    '$' + '{x}',
    '</script>',
    '\u2028',
    'a\nb',
    '-n',
  ),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
)

/** Values of JSON with such texts. */
export const hostileValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    hostile,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.oneof(hostile, fc.constant('__proto__')), tie('value'), { noNullPrototype: true }),
  ),
})).value
