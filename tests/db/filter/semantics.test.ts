import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { idOf } from './library.ts'
import { openSeeded } from './seed.ts'

let library: Awaited<ReturnType<typeof openSeeded>>

beforeAll(async () => {
  library = await openSeeded()
})

afterAll(() => library[Symbol.asyncDispose]())

type Row = [filter: string, shops: string]

function rows(title: string, cases: readonly Row[]): void {
  describe(title, () => {
    for (const [filter, shopsFound] of cases) {
      test(`${filter} finds ${shopsFound || 'nothing'}`, async () =>
        expect(await library.found(filter)).toBe(shopsFound))
    }
  })
}

rows('grammar:', [
  ['stock=5', 'a'],
  ['  stock\t=\n5 // five\n', 'a'],
  ['// first\nstock = 5', 'a'],
  ['stock = 5 || stock = 12 && title = "none"', 'a'],
  ['(stock = 5 || stock = 12) && title = "none"', ''],
  ['stock = 5&&(rating>1)', 'a'],
  ['rating = -2', 'c'],
  ['rating = 1.5', 'a'],
  [`title = 'a\\\\b"c\\'\\n\\t'`, 'd'],
  [`title = ${JSON.stringify('a\\b"c\'\n\t')}`, 'd'],
  [`title = "a\\qb"`, ''],
  ['5 = stock', 'a'],
  ['1 = 1', 'abcd'],
  ['1 = 2', ''],
  ['(((stock = 5)))', 'a'],
])

rows('empty values:', [
  ['owner = ""', 'c'],
  ["owner = ''", 'c'],
  ['owner = null', 'c'],
  ['owner = NULL', 'c'],
  ['owner != ""', 'abd'],
  ['owner != null', 'abd'],
  ['null = ""', 'abcd'],
  ['"" != null', ''],
  ['opened = ""', 'cd'],
  ['owner.name = ""', 'c'],
  ['owner.name != ""', 'abd'],
  ['owner.name != "ann"', 'bcd'],
  ['owner.friend.name != "ann"', 'acd'],
  ['stock = ""', ''],
  ['stock != ""', 'abcd'],
])

rows('two columns:', [
  ['title = title', 'abcd'],
  ['owner.name = owner.friend.name', 'c'],
  ['owner.name != owner.friend.name', 'abd'],
  ['stock > rating', 'abc'],
])

rows('numbers:', [
  ['stock > 5', 'b'],
  ['stock >= 5', 'ab'],
  ['stock < 5', 'cd'],
  ['stock <= 5', 'acd'],
  ['stock = "5"', 'a'],
  ['stock > "9"', 'b'],
  ['title = 123', ''],
  ['title = "123"', 'c'],
  ['balance = 1.25', 'a'],
  ['balance >= "5"', 'c'],
  ['stock ~ 1', 'b'],
])

rows('booleans:', [
  ['open = true', 'ac'],
  ['open = TRUE', 'ac'],
  ['open = false', 'bd'],
  ['open != true', 'bd'],
  ['open = "true"', ''],
  ['open = 1', 'ac'],
  ['open = ""', ''],
])

rows('dates:', [
  ['opened = "2026-01-31 09:05:00.000Z"', 'a'],
  ['opened = "2026-01-31T09:05:00.000Z"', ''],
  ['opened < "2026-01-31T00:00:00.000Z" && opened != ""', 'a'],
  ['opened >= "2026-01-31" && opened < "2026-02-01"', 'a'],
  ['opened <= @now && opened != ""', 'a'],
  ['opened > @now', 'b'],
  ['@now = "2026-01-31 09:05:07.250Z"', 'abcd'],
  ['@yesterday = "2026-01-30 09:05:07.250Z"', 'abcd'],
  ['@tomorrow = "2026-02-01 09:05:07.250Z"', 'abcd'],
  ['@todayStart = "2026-01-31 00:00:00.000Z"', 'abcd'],
  ['@todayEnd = "2026-01-31 23:59:59.999Z"', 'abcd'],
  ['@monthStart = "2026-01-01 00:00:00.000Z"', 'abcd'],
  ['@monthEnd = "2026-01-31 23:59:59.999Z"', 'abcd'],
  ['@yearStart = "2026-01-01 00:00:00.000Z"', 'abcd'],
  ['@yearEnd = "2026-12-31 23:59:59.999Z"', 'abcd'],
  ['@second = 7 && @minute = 5 && @hour = 9 && @day = 31 && @month = 1 && @year = 2026', 'abcd'],
  ['@weekday = 6', 'abcd'],
  ['strftime("%Y-%m", opened) = "2026-02"', 'b'],
  ['strftime("%Y-%m", opened) = ""', 'cd'],
  ['strftime("%Y", opened, "+1 year") = "2027"', 'ab'],
  ['strftime("%Y-%m-%d") = "2026-01-31"', 'abcd'],
  ['strftime("%m-%d", "2026-01-31", "+1 month") = "03-03"', 'abcd'],
  ['strftime("%F", "2028-02-29", "+1 year") = "2029-03-01"', 'abcd'],
  ['strftime("%F", "2026-03-31", "-1 month") = "2026-03-03"', 'abcd'],
  ['strftime("%F", "2026-01-31", "1.5 months") = "2026-03-18"', 'abcd'],
  ['strftime("%F", "2026-01-31", "+13 months", "start of month") = "2027-03-01"', 'abcd'],
  ['strftime("%H", "now") = "09"', 'abcd'],
  ['strftime("%J", "2026-01-31 12:00") = "2461072"', 'abcd'],
  ['strftime("%Y", title) = "" && strftime("%Y", stock) = ""', 'abcd'],
  ['strftime("%Y", owner.created) != ""', 'abd'],
])

rows('patterns:', [
  ['title ~ "ALPHA"', 'a'],
  ['title ~ "a_1"', 'a'],
  ['title ~ "a_"', 'a'],
  ['title ~ "l_ha"', ''],
  ['title ~ "eta\\\\%"', 'b'],
  ['title ~ "b%"', 'b'],
  ['title ~ "%1"', 'a'],
  ['title ~ "%p%"', 'a'],
  ['title ~ ""', 'abcd'],
  ['title ~ "a\\\\b"', 'd'],
  ['title ~ "a%\\\\"', ''],
  ['"a\\\\" ~ "a%\\\\"', 'abcd'],
  ['title !~ "a"', 'c'],
  ['owner.name ~ "n"', 'a'],
  ['owner.name !~ "n"', 'bd'],
  ['"Alpha_1 shop" ~ title', 'a'],
  ['title ~ null', ''],
  ['info ~ "MiX"', 'a'],
  ['staff ~ "bob"', 'ab'],
  ['title ~ @second', ''],
])

rows('JSON:', [
  ['info.n = 5', 'a'],
  ['info.n = "5"', ''],
  ['info.s = "x"', 'a'],
  ['info.deep.0.k = "v"', 'a'],
  ['info.deep.1 = true', 'a'],
  ['info.deep.1 = 1', 'a'],
  ['info.none = null', 'abcd'],
  ['info.none = ""', ''],
  ['info.s = null', 'bcd'],
  ['info.s != null', 'a'],
  ['info.empty = ""', 'a'],
  ['info = "x"', 'b'],
  ['info = "[1,2]"', 'c'],
  ['info.1 = 2', 'c'],
  ['info = null', 'd'],
  ['info = ""', ''],
  ['info.big:lower = "mixed"', 'a'],
  ['info.n > 4', 'a'],
  ['info.n != 5', 'bcd'],
])

rows('relations:', [
  [`owner = "${idOf('ann')}"`, 'a'],
  [`owner.id = "${idOf('ann')}"`, 'a'],
  ['owner.rank >= 3', 'ab'],
  ['owner.friend.name = "ann"', 'b'],
  [`staff = "${idOf('bob')}"`, ''],
  ['staff = "[]"', 'c'],
  ['staff = ""', ''],
  [`staff.id = "${idOf('bob')}"`, 'b'],
  [`staff.id ?= "${idOf('bob')}"`, 'ab'],
  [`staff.id != "${idOf('bob')}"`, 'cd'],
  [`staff.id ?!= "${idOf('bob')}"`, 'acd'],
  [`staff:each = "${idOf('bob')}"`, 'b'],
  [`staff:each ?= "${idOf('bob')}"`, 'ab'],
  ['staff:each ~ "b"', 'b'],
  ['staff:length = 0', 'c'],
  ['staff:length > 1', 'a'],
  ['owner:length = 0', 'c'],
  ['size:length = 1', 'ac'],
  ['staff.name = ""', 'c'],
  ['staff.rank > 2', 'ab'],
  ['staff.rank ?> 5', 'ab'],
  ['staff.rank > 5', 'b'],
  ['3 < staff.rank', 'b'],
  ['staff.friend.name ?= "ann"', 'ab'],
  ['staff.name ?= "ann" && staff.rank ?= 10', ''],
  ['staff.name ?= "bob" && staff.rank ?= 10', 'ab'],
  ['owner.name ?= staff.name', 'abcd'],
  ['owner.name = staff.name', 'bcd'],
  ['staff.name:lower = "bob"', 'b'],
  ['title:lower = "alpha_1"', 'a'],
  ['title:lower = "Alpha_1"', ''],
])

rows('back relations:', [
  ['reviews_via_shop.stars = 5', 'b'],
  ['reviews_via_shop.stars ?= 5', 'ab'],
  ['reviews_via_shop.stars ?= 5 && reviews_via_shop.text ?= "fair"', ''],
  ['reviews_via_shop.stars ?= 3 && reviews_via_shop.text ?= "fair"', 'a'],
  ['reviews_via_shop.stars > 2', 'ab'],
  ['reviews_via_shop.id = ""', 'd'],
  ['reviews_via_shop.text != "good"', 'cd'],
  ['reviews_via_shop.by.name ?= "bob"', 'ab'],
  ['owner.passports_via_author.number = "P1"', 'a'],
  ['passports_via_visited.number = "P1"', 'ab'],
  ['owner.reviews_via_by.stars = staff.reviews_via_by.stars', 'cd'],
  ['owner.reviews_via_by.stars ?= staff.reviews_via_by.stars', 'abcd'],
])

rows('other collections:', [
  ['@collection.vaults.code ?= "42"', 'abcd'],
  ['@collection.vaults.code = "43"', ''],
  ['@collection.reviews.shop ?= id && @collection.reviews.stars ?= 3', 'a'],
  ['@collection.reviews:x.shop ?= id && @collection.reviews:y.stars ?= 3', 'abc'],
  ['@collection.authors.rank < 11', 'abcd'],
  ['@collection.authors.rank < 10', ''],
])
