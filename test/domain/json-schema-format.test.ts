import { formatCheck } from "@countersign/domain/json-schema-format"
import { assert, describe, it } from "@effect/vitest"

const examples: Record<string, readonly [valid: ReadonlyArray<string>, invalid: ReadonlyArray<string>]> = {
  date: [["2026-02-28", "2024-02-29", "0000-01-01"], [
    "2026-02-29",
    "2026-13-01",
    "2026-1-01",
    "2026-00-10",
    "1900-02-29",
    "2026-02-28\n",
    "२०२६-01-01"
  ]],
  time: [["10:00:00Z", "10:00:00.5+02:00", "23:59:60Z", "01:29:60+01:30"], [
    "10:00:00",
    "24:00:00Z",
    "10:60:00Z",
    "22:59:60Z",
    "10:00:00+24:00"
  ]],
  "date-time": [["2026-01-01T00:00:00Z", "2026-01-01t00:00:00.123z"], [
    "2026-01-01 00:00:00Z",
    "2026-01-01",
    "2026-02-30T00:00:00Z"
  ]],
  duration: [["P1Y2M3DT4H5M6S", "PT1H", "P4W", "P1D"], ["P", "PT", "1D", "P1H", "P1Y2W", "P1D2Y", "PT1D"]],
  email: [["a@example.com", "a.b+c@example.co", "\"a b\"@example.com", "a@[127.0.0.1]", "a@[IPv6:::1]"], [
    "a",
    "@example.com",
    "a@",
    "a..b@example.com",
    ".a@example.com",
    "a b@example.com",
    "a@-x.com",
    "a@[300.0.0.1]",
    `${"a".repeat(65)}@x.com`
  ]],
  hostname: [["example.com", "a", "xn--4gbwdl.xn--wgbh1c", "1.2"], [
    "-a.com",
    "a-.com",
    "a..b",
    "",
    "a_b.com",
    "ż.pl",
    `${"a".repeat(64)}.com`
  ]],
  ipv4: [["0.0.0.0", "255.255.255.255"], ["256.1.1.1", "1.1.1", "01.1.1.1", "1.1.1.1.1", "0x7f.1.1.1", "1.1.1.1 "]],
  ipv6: [["::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1::"], [
    "1:2:3:4:5:6:7",
    "1::2::3",
    "12345::",
    ":::",
    "1:2:3:4:5:6:7:8::",
    "::1%eth0",
    "::192.0.2.256",
    "192.0.2.1::"
  ]],
  uri: [["https://example.com/a?b=c#d", "urn:isbn:123", "mailto:a@b.c", "http://[::1]:80/", "http://u:p@h/"], [
    "//example.com",
    "/a",
    "a b:c",
    "http://[::1",
    "http://a/%zz",
    "1a:b",
    "http://a/<b>",
    "http://ż.pl"
  ]],
  "uri-reference": [["/a", "?b", "#c", "//h/p", "", "https://x"], ["a\\b", "a b", "#a#b", ":a"]],
  iri: [["https://ż.pl/ó"], ["/ó"]],
  "iri-reference": [["/ó"], ["a\\ó"]],
  "uri-template": [["/a/{id}{?q,r*}", "{+path:3}"], ["/a/{id", "/a/}", "{a b}", "{}", "%zz"]],
  uuid: [["2eb8aa08-aa98-11ea-b4aa-73b441d16380"], [
    "2eb8aa08aa9811eab4aa73b441d16380",
    "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"
  ]],
  "json-pointer": [["", "/a/b~1c"], ["a", "/a~"]],
  "relative-json-pointer": [["0", "1/a", "2#"], ["01", "/a", "-1", "1a"]],
  regex: [["^[a-z]+$"], ["(", "(?=a)"]]
}

describe("formats", () => {
  it.each(Object.entries(examples))("%s", (format, [valid, invalid]) => {
    const check = formatCheck(format)
    if (check === undefined) return assert.fail("this format is not checked")
    for (const text of valid) assert.isTrue(check(text), `should accept ${text}`)
    for (const text of invalid) assert.isFalse(check(text), `should refuse ${text}`)
  })

  it("include none of OpenAPI, and no names of the prototype", () => {
    const others = ["int32", "password", "binary", "url", "constructor", "__proto__"]
    for (const format of others) assert.isUndefined(formatCheck(format))
  })

  it.each(Object.keys(examples))("%s ends on a text of a million characters", (format) => {
    const check = formatCheck(format)!
    for (const piece of ["a", "1", ":", ".", "/", "%41", "a-", "{a}", "1.", "PT1H", "\"", "a@"]) {
      assert.isBoolean(check(piece.repeat(Math.ceil(1_000_000 / piece.length)).concat("!")))
    }
  })
})
