import { library, type RuntimeLibrary } from './library.ts'
import { RUNTIME_CRATES } from './runtime-crates.ts'
import { RUNTIME_POLYFILLS } from './runtime-polyfills.ts'

/**
 * What the executable contains of Bun, after the list in its LICENSE.md, its dependencies in
 * `scripts/build/deps`, and the libraries that it reports itself. Check it when the version of Bun changes; a
 * test compares the version.
 *
 * Compared on 22 November 2026: the list with LICENSE.md and scripts/build/deps/index.ts of oven-sh/bun; the
 * license and the holders with the license file or the head of a source file of WebKit, brotli, libarchive,
 * lol-html, ls-hpack, ls-qpack, lsquic, picohttpparser, Zstandard, c-ares, base64, libjpeg-turbo, libspng,
 * Highway, zlib-ng, ICU, HdrHistogram_c, mimalloc, TinyCC, uSockets, uWebSockets, Node.js and TigerBeetle;
 * those of libdeflate and libwebp with the copyright files of their Debian packages, of llhttp with the
 * license of Node.js, of esbuild with notices of projects that contain it. simdutf: LICENSE-APACHE of
 * simdutf/simdutf. LLVM: libcxxabi/LICENSE.TXT in copies of llvm-project, before and after the change to
 * Apache-2.0. BoringSSL: its LICENSE, equal to the text in `texts` but for the Go license of a test suite
 * that is not linked, and the notices in its sources, in the copy of the crate boring-sys 5.4.0. uucode:
 * LICENSE.md of the copy that Bun contains, which names the licenses of its decoder and of its Unicode data.
 * libstdc++ and libgcc: linked statically (`-static-libstdc++ -static-libgcc` in scripts/build/flags.ts of
 * Bun, GCC 13 in the `.comment` of the executable); license and notices of Debian's packages of GCC 12 and of
 * its headers. The versions were not always those that Bun links: years may differ. The texts were compared
 * with those of SPDX and of Debian's common-licenses.
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

const LINKED: readonly RuntimeLibrary[] = [
  library(
    'JavaScriptCore and WebCore (WebKit)',
    'LGPL-2.0-or-later AND BSD-2-Clause',
    '1999-2001 Harri Porten, 2001 Peter Kelly, 2003-2026 Apple Inc. and the contributors of WebKit',
    'https://github.com/oven-sh/WebKit',
    'webkit',
  ),
  library(
    'BoringSSL',
    'Apache-2.0 AND MIT',
    'The BoringSSL Authors, 1995-2025 The OpenSSL Project Authors, Oracle and/or its affiliates, Nokia, Intel Corporation, Amazon.com, Inc. or its affiliates, Cloudflare, Inc., The Chromium Authors, Arm Ltd., Brian Smith, Shay Gueron, the HRSS authors, 2006 Network Resonance, Inc., 2011 RTFM, Inc., Robert Nagy, 2015-2020 the fiat-crypto authors',
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
    '2012-2014 Gil Tene, 2014 Michael Barker, 2014 Matt Warren, 2015 Philip Orwig',
    'https://github.com/HdrHistogram/HdrHistogram_c',
  ),
  library('Highway', 'Apache-2.0', 'The Highway Project Authors', 'https://github.com/google/highway'),
  library(
    'ICU',
    'Unicode-3.0 AND BSD-3-Clause AND BSD-2-Clause AND NAIST-2003',
    '1991-2025 Unicode, Inc., 1995-2016 International Business Machines Corporation and others; dictionaries: 2006-2008 Google Inc., 1999 TaBE Project, 1999 Pai-Hsiang Hsiao, 1999 Computer Systems and Communication Lab, Institute of Information Science, Academia Sinica, 1996 Chih-Hao Tsai, 2000-2003 Nara Institute of Science and Technology, 2013 Brian Eugene Wilson, Robert Martin Campbell',
    'https://github.com/unicode-org/icu',
    'icu',
  ),
  library(
    'libarchive',
    'BSD-2-Clause AND BSD-3-Clause',
    '2003-2018 Tim Kientzle and the authors of libarchive, The Regents of the University of California',
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
  library(
    'libstdc++ and libgcc (GCC)',
    'GPL-3.0-or-later WITH GCC-exception-3.1 AND HPND-sell-variant',
    '1986-2023 Free Software Foundation, Inc., 1994 Hewlett-Packard Company, 1996-1999 Silicon Graphics Computer Systems, Inc.',
    'https://gcc.gnu.org',
  ),
  library('libwebp', 'BSD-3-Clause', '2010 Google Inc.', 'https://github.com/webmproject/libwebp'),
  library('llhttp', 'MIT', '2018 Fedor Indutny', 'https://github.com/nodejs/llhttp', 'llhttp'),
  library(
    'LLVM libc++abi (__cxa_thread_atexit)',
    'Apache-2.0 WITH LLVM-exception',
    '2009-2019 the contributors listed in CREDITS.TXT, the LLVM Project',
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
    '2017-2024 LiteSpeed Technologies Inc., 2015 The Chromium Authors',
    'https://github.com/litespeedtech/lsquic',
  ),
  library(
    'mimalloc',
    'MIT',
    '2018-2025 Microsoft Corporation, Microsoft Research, Daan Leijen',
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
  library('simdutf', 'Apache-2.0', '2020 The simdutf authors', 'https://github.com/simdutf/simdutf'),
  library('SQLite', 'blessing', 'none: SQLite is in the public domain', 'https://sqlite.org', 'sqlite'),
  library(
    'TigerBeetle (parts of its input and output)',
    'Apache-2.0',
    '2020 Coil Technologies, Inc., TigerBeetle, Inc.',
    'https://github.com/tigerbeetle/tigerbeetle',
  ),
  library(
    'TinyCC',
    'LGPL-2.1-or-later',
    '2001-2004 Fabrice Bellard and the contributors of TinyCC',
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
  library(
    'uucode',
    'MIT AND Unicode-3.0',
    '2025 Jacob Sandlund, 2008-2009 Bjoern Hoehrmann (UTF-8 decoder), 1991-2025 Unicode, Inc. (data)',
    'https://github.com/jacobsandlund/uucode',
  ),
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
    '1995-2025 Jean-loup Gailly and Mark Adler',
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

export const RUNTIME_LIBRARIES: readonly RuntimeLibrary[] = [
  ...LINKED,
  ...RUNTIME_POLYFILLS,
  ...RUNTIME_CRATES,
]

/** The file of `texts/` for each license of `RUNTIME_LIBRARIES`; public domain needs none. */
export const TEXTS: Readonly<Record<string, string>> = {
  'Apache-2.0': 'Apache-2.0.txt',
  'BSD-2-Clause': 'BSD-2-Clause.txt',
  'BSD-3-Clause': 'BSD-3-Clause.txt',
  'GCC-exception-3.1': 'GCC-exception-3.1.txt',
  'GPL-3.0-or-later': 'GPL-3.0.txt',
  'HPND-sell-variant': 'HPND-sell-variant.txt',
  IJG: 'IJG.txt',
  'LGPL-2.0-or-later': 'LGPL-2.0.txt',
  'LGPL-2.1-or-later': 'LGPL-2.1.txt',
  'LLVM-exception': 'LLVM-exception.txt',
  MIT: 'MIT.txt',
  'MPL-2.0': 'MPL-2.0.txt',
  'NAIST-2003': 'NAIST-2003.txt',
  'Unicode-3.0': 'Unicode-3.0.txt',
  Zlib: 'Zlib.txt',
}
