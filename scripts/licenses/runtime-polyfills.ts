import { library, type RuntimeLibrary } from './library.ts'

/**
 * The npm packages that Bun contains in place of Node's modules, after the list in its LICENSE.md. The
 * licenses and the holders are those of the license files in the newest versions of the packages on 23
 * November 2026; of domain-browser in 4.22.0, the last version under the license that Bun names.
 */
export const RUNTIME_POLYFILLS: readonly RuntimeLibrary[] = [
  polyfill('acorn', '2012-2022 by various contributors (see AUTHORS)'),
  polyfill('acorn-walk', '2012-2020 by various contributors (see AUTHORS)'),
  polyfill('assert', 'Joyent, Inc. and other Node contributors'),
  polyfill('browserify-zlib', '2014-2015 Devon Govett, Joyent, Inc. and other Node contributors'),
  polyfill('buffer', 'Feross Aboukhadijeh, and other contributors'),
  polyfill('constants-browserify', '2013 Julian Gruber'),
  polyfill('crypto-browserify', '2013 Dominic Tarr'),
  polyfill('domain-browser', '2013+ Bevry Pty Ltd'),
  polyfill('events', 'Joyent, Inc. and other Node contributors'),
  polyfill('https-browserify', 'James Halliday'),
  polyfill('os-browserify', '2017 CoderPuppy'),
  polyfill('path-browserify', '2013 James Halliday'),
  polyfill('process', '2013 Roman Shtylman'),
  polyfill('punycode', 'Mathias Bynens'),
  polyfill('querystring-es3', '2012 Irakli Gozalishvili'),
  polyfill('stream-browserify', 'James Halliday'),
  polyfill('stream-http', '2015 John Hiesey'),
  polyfill('string_decoder', 'Node.js contributors, Joyent, Inc. and other Node contributors'),
  polyfill('timers-browserify', '2012 J. Ryan Stinnett, Joyent, Inc. and other Node contributors'),
  polyfill('tty-browserify', 'James Halliday'),
  polyfill('url', '2014 Joyent, Inc. and other Node contributors'),
  polyfill('util', 'Joyent, Inc. and other Node contributors'),
  polyfill('vm-browserify', 'James Halliday'),
]

function polyfill(name: string, holders: string): RuntimeLibrary {
  return library(`${name} (polyfill)`, 'MIT', holders, `https://www.npmjs.com/package/${name}`)
}
