import {
  addressRefusal,
  checkUrl,
  hostOf,
  isNameAllowed,
  parseAllowList,
  portOf
} from "@countersign/hub/providers/egress-rules"
import { assert, describe, it } from "vitest"

describe("addresses that the hub does not call", () => {
  const refused: ReadonlyArray<readonly [string, string]> = [
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["169.254.169.254", "link-local"],
    ["100.64.0.1", "shared (CGNAT)"],
    ["100.100.100.200", "shared (CGNAT)"],
    ["198.18.0.1", "reserved"],
    ["198.19.255.255", "reserved"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["240.0.0.1", "reserved"],
    ["192.0.2.1", "reserved"],
    ["192.0.0.192", "reserved"],
    ["168.63.129.16", "cloud host agent"],
    ["::1", "loopback"],
    ["::", "unspecified"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["fc00::1", "private"],
    ["fd12:3456::1", "private"],
    ["fec0::1", "private"],
    ["ff02::1", "multicast"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::ffff:10.0.0.1", "private"],
    ["::ffff:0:127.0.0.1", "reserved"],
    ["::127.0.0.1", "loopback"],
    ["64:ff9b::7f00:1", "reserved"],
    ["64:ff9b:1::a00:1", "reserved"],
    ["2002:7f00:1::", "reserved"],
    ["2001::1", "reserved"],
    ["2001:db8::1", "reserved"],
    ["100::1", "reserved"],
    ["4000::1", "reserved"],
    ["not an address", "no address"]
  ]
  for (const [address, reason] of refused) {
    it(`refuses ${address} as ${reason}`, () => assert.strictEqual(addressRefusal([], address, 443), reason))
  }
  for (const address of ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"]) {
    it(`lets ${address} pass`, () => assert.strictEqual(addressRefusal([], address, 443), undefined))
  }
})

describe("the operator's allow list", () => {
  const { entries, problem } = parseAllowList(
    " localhost:8080, 10.0.0.0/8 ,::1, [fd00::/8]:443, Printer.Lan. ,,192.168.1.7:25"
  )

  it("reads hosts, addresses and CIDRs, with and without ports", () => {
    assert.isUndefined(problem)
    assert.deepStrictEqual(entries, [
      { kind: "name", name: "localhost", port: 8080 },
      { kind: "cidr", network: "10.0.0.0", bits: 8 },
      { kind: "cidr", network: "::1", bits: 128 },
      { kind: "cidr", network: "fd00::", bits: 8, port: 443 },
      { kind: "name", name: "printer.lan" },
      { kind: "cidr", network: "192.168.1.7", bits: 32, port: 25 }
    ])
  })

  it("opens exactly its entries, each on its port", () => {
    assert.isUndefined(addressRefusal(entries, "10.200.0.1", 9))
    assert.isUndefined(addressRefusal(entries, "::ffff:10.0.0.1", 9))
    assert.isUndefined(addressRefusal(entries, "fd00::5", 443))
    assert.strictEqual(addressRefusal(entries, "fd00::5", 80), "private")
    assert.isUndefined(addressRefusal(entries, "192.168.1.7", 25))
    assert.strictEqual(addressRefusal(entries, "192.168.1.7", 80), "private")
    assert.strictEqual(addressRefusal(entries, "127.0.0.1", 8080), "loopback")
    assert.isTrue(isNameAllowed(entries, "LOCALHOST.", 8080))
    assert.isFalse(isNameAllowed(entries, "localhost", 80))
    assert.isTrue(isNameAllowed(entries, "printer.lan", 631))
    assert.isFalse(isNameAllowed(entries, "evil.printer.lan", 631))
  })

  for (const bad of ["http://x", "10.0.0.0/33", "a b", "host:0", "host:70000", "[::1", "*", "-"]) {
    it(`names the invalid entry ${bad}`, () => assert.include(parseAllowList(`ok.example, ${bad}`).problem ?? "", bad))
  }
})

describe("URLs", () => {
  const loopback = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127.0.0.1./"
  ]
  for (const text of loopback) {
    it(`reads ${text} as 127.0.0.1`, () => {
      const checked = checkUrl(text)
      assert.isTrue("url" in checked)
      if ("url" in checked) {
        assert.strictEqual(addressRefusal([], hostOf(checked.url.hostname), portOf(checked.url)), "loopback")
      }
    })
  }
  it("reads IPv4 inside IPv6 in brackets", () => {
    const checked = checkUrl("https://[::ffff:169.254.169.254]/")
    assert.isTrue("url" in checked)
    if ("url" in checked) assert.strictEqual(addressRefusal([], hostOf(checked.url.hostname), 443), "link-local")
  })
  for (
    const text of [
      "ftp://a/",
      "file:///etc/passwd",
      "gopher://a",
      "//a/b",
      "a",
      "http://",
      "http://u@a/",
      "http://u:p@a/",
      "http://a b/",
      "data:,x"
    ]
  ) {
    it(`refuses ${text}`, () => assert.isTrue("problem" in checkUrl(text)))
  }
})
