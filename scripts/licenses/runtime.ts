/** A library inside the Bun runtime, which every executable contains. */
interface RuntimeLibrary {
  name: string
  /** SPDX license expression. */
  license: string
  copyright: string
  source: string
  /** Key of `process.versions` that contains its version or commit. */
  versionKey?: keyof NodeJS.ProcessVersions
}

/**
 * What the executable contains of Bun, after the list in its LICENSE.md and the libraries that it reports
 * itself. Check it when the version of Bun changes; a test compares the version.
 */
export const RUNTIME = {
  version: '1.4.4',
  license: 'MIT',
  copyright: 'Copyright (c) Oven and the contributors of Bun',
  source: 'https://github.com/oven-sh/bun',
  note:
    'The executable is linked statically with JavaScriptCore under LGPL-2.0. Its patched source is at\n' +
    'https://github.com/oven-sh/WebKit. To relink: check out the commit named below to vendor/WebKit of the Bun\n' +
    'repository, build Bun with `bun run build:local`, and build svc with it.',
} as const

export const RUNTIME_LIBRARIES: readonly RuntimeLibrary[] = [
  library(
    'JavaScriptCore and WebCore (WebKit)',
    'LGPL-2.0-only',
    'Apple Inc. and the contributors of WebKit',
    'https://github.com/oven-sh/WebKit',
    'webkit',
  ),
  library(
    'BoringSSL',
    'Apache-2.0',
    'The BoringSSL Authors, the OpenSSL Project Authors',
    'https://boringssl.googlesource.com/boringssl',
    'boringssl',
  ),
  library(
    'Brotli',
    'MIT',
    '2009, 2010, 2013-2016 by the Brotli Authors',
    'https://github.com/google/brotli',
    'brotli',
  ),
  library(
    'c-ares',
    'MIT',
    '1998 Massachusetts Institute of Technology, 2007-2023 Daniel Stenberg with many contributors',
    'https://github.com/c-ares/c-ares',
    'ares',
  ),
  library('esbuild (ported parts)', 'MIT', '2020 Evan Wallace', 'https://github.com/evanw/esbuild'),
  library(
    'HdrHistogram_c',
    'BSD-2-Clause',
    '2012-2014 Gil Tene, Michael Barker, Matt Warren',
    'https://github.com/HdrHistogram/HdrHistogram_c',
  ),
  library('Highway', 'Apache-2.0', 'The Highway Project Authors', 'https://github.com/google/highway'),
  library(
    'ICU',
    'Unicode-3.0',
    '1991-2025 Unicode, Inc., 1995-2016 International Business Machines Corporation and others',
    'https://github.com/unicode-org/icu',
    'icu',
  ),
  library(
    'libarchive',
    'BSD-2-Clause',
    '2003-2018 Tim Kientzle and the authors of libarchive',
    'https://github.com/libarchive/libarchive',
    'libarchive',
  ),
  library(
    'libbase64',
    'BSD-2-Clause',
    '2005-2007 Nick Galbreath, 2013-2022 Alfred Klomp, 2015-2018 Wojciech Muła, 2016-2017 Matthieu Darbois',
    'https://github.com/aklomp/base64',
  ),
  library(
    'libdeflate',
    'MIT',
    '2016 Eric Biggers, 2024 Google LLC',
    'https://github.com/ebiggers/libdeflate',
    'libdeflate',
  ),
  library(
    'libjpeg-turbo',
    'BSD-3-Clause AND IJG AND Zlib',
    '1991-2020 Thomas G. Lane, Guido Vollbeding, 2009-2025 D. R. Commander, 2015 Viktor Szathmáry. This software is based in part on the work of the Independent JPEG Group',
    'https://github.com/libjpeg-turbo/libjpeg-turbo',
  ),
  library('libspng', 'BSD-2-Clause', '2018-2023 Randy', 'https://github.com/randy408/libspng'),
  library('libwebp', 'BSD-3-Clause', '2010 Google Inc.', 'https://github.com/webmproject/libwebp'),
  library('llhttp', 'MIT', '2018 Fedor Indutny', 'https://github.com/nodejs/llhttp', 'llhttp'),
  library(
    'LLVM libc++abi (__cxa_thread_atexit)',
    'Apache-2.0 WITH LLVM-exception',
    'the LLVM Project',
    'https://github.com/llvm/llvm-project',
  ),
  library(
    'lol-html',
    'BSD-3-Clause',
    '2019 Cloudflare, Inc.',
    'https://github.com/cloudflare/lol-html',
    'lolhtml',
  ),
  library(
    'ls-hpack',
    'MIT',
    '2018-2023 LiteSpeed Technologies Inc.',
    'https://github.com/litespeedtech/ls-hpack',
    'lshpack',
  ),
  library(
    'ls-qpack',
    'MIT',
    '2018-2023 LiteSpeed Technologies Inc.',
    'https://github.com/litespeedtech/ls-qpack',
  ),
  library(
    'lsquic',
    'MIT AND BSD-3-Clause',
    '2017-2024 LiteSpeed Technologies Inc., 2012 The Chromium Authors',
    'https://github.com/litespeedtech/lsquic',
  ),
  library(
    'mimalloc',
    'MIT',
    '2018-2025 Microsoft Corporation, Daan Leijen',
    'https://github.com/microsoft/mimalloc',
    'mimalloc',
  ),
  library(
    'Node.js (ported parts and headers)',
    'MIT',
    'Node.js contributors, Joyent, Inc. and other Node contributors',
    'https://github.com/nodejs/node',
  ),
  library(
    'picohttpparser',
    'MIT',
    '2009-2014 Kazuho Oku, Tokuhiro Matsuno, Daisuke Murase, Shigeo Mitsunari',
    'https://github.com/h2o/picohttpparser',
    'picohttpparser',
  ),
  library(
    'polyfills of Node modules (acorn, assert, buffer, crypto-browserify, events, process, punycode, stream-browserify, url, util and others)',
    'MIT',
    'the authors of these packages, listed in LICENSE.md of Bun',
    'https://github.com/oven-sh/bun/blob/main/LICENSE.md',
  ),
  library('simdutf', 'Apache-2.0', '2021 The simdutf authors', 'https://github.com/simdutf/simdutf'),
  library('SQLite', 'blessing', 'none: SQLite is in the public domain', 'https://sqlite.org', 'sqlite'),
  library(
    'TigerBeetle (parts of its input and output)',
    'Apache-2.0',
    'TigerBeetle, Inc.',
    'https://github.com/tigerbeetle/tigerbeetle',
  ),
  library(
    'TinyCC',
    'LGPL-2.1-only',
    'Fabrice Bellard and the contributors of TinyCC',
    'https://github.com/tinycc/tinycc',
    'tinycc',
  ),
  library(
    'uSockets',
    'Apache-2.0',
    '2018-2021 Alex Hultman and contributors',
    'https://github.com/uNetworking/uSockets',
    'usockets',
  ),
  library('uucode', 'MIT', '2025 Jacob Sandlund', 'https://github.com/jacobsandlund/uucode'),
  library(
    'uWebSockets',
    'Apache-2.0',
    '2018-2020 Alex Hultman and contributors',
    'https://github.com/uNetworking/uWebSockets',
    'uwebsockets',
  ),
  library(
    'zlib-ng',
    'Zlib',
    '1995-2024 Jean-loup Gailly and Mark Adler',
    'https://github.com/zlib-ng/zlib-ng',
    'zlib',
  ),
  library(
    'Zstandard',
    'BSD-3-Clause',
    'Meta Platforms, Inc. and affiliates',
    'https://github.com/facebook/zstd',
    'zstd',
  ),
]

function library(
  name: string,
  license: string,
  holders: string,
  source: string,
  versionKey?: keyof NodeJS.ProcessVersions,
): RuntimeLibrary {
  const copyright = holders.startsWith('none') ? holders : `Copyright (c) ${holders}`
  return { name, license, copyright, source, ...(versionKey && { versionKey }) }
}

/** The file of `texts/` for each license of `RUNTIME_LIBRARIES`; public domain needs none. */
export const TEXTS: Readonly<Record<string, string>> = {
  'Apache-2.0': 'Apache-2.0.txt',
  'BSD-2-Clause': 'BSD-2-Clause.txt',
  'BSD-3-Clause': 'BSD-3-Clause.txt',
  IJG: 'IJG.txt',
  'LGPL-2.0-only': 'LGPL-2.0.txt',
  'LGPL-2.1-only': 'LGPL-2.1.txt',
  'LLVM-exception': 'LLVM-exception.txt',
  MIT: 'MIT.txt',
  'Unicode-3.0': 'Unicode-3.0.txt',
  Zlib: 'Zlib.txt',
}
