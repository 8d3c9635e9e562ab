/** E12, E17. */
import {
  deepLinkIn,
  deepLinkOf,
  inboxRowPath,
  parseDeepLink,
  resolveDeepLink,
  screenPath
} from "@countersign/desktop/main/lifecycle/deep-links"
import { newId } from "@countersign/domain/ids"
import { assert, describe, it } from "vitest"

const hub = "0b0e4d6c-5d3e-4c1b-9a53-0d6b7b8f2a11"
const approval = newId("apr")

describe("deep links", () => {
  it.each([
    [`countersign://${hub}`, { hubId: hub, screen: "inbox" }],
    [`countersign://${hub}/`, { hubId: hub, screen: "inbox" }],
    [`countersign://${hub}/money`, { hubId: hub, screen: "money" }],
    [`countersign://${hub}/approval/${approval}`, { hubId: hub, screen: "approval", id: approval }]
  ])("E12: %s names a hub and a screen", (text, link) => {
    assert.deepStrictEqual<unknown>(parseDeepLink(text), link)
  })

  it.each([
    "",
    "countersign:",
    "countersign://",
    `https://${hub}/inbox`,
    `Countersign://${hub}/inbox`,
    `countersign:/${hub}/inbox`,
    `countersign:///${hub}/inbox`,
    "countersign://hub.example.com/inbox",
    `countersign://user@${hub}/inbox`,
    `countersign://${hub}:443/inbox`,
    `countersign://${hub.toUpperCase()}/inbox`,
    `countersign://${hub}/approve/${approval}`,
    `countersign://${hub}/approval`,
    `countersign://${hub}/approval/${newId("req")}`,
    `countersign://${hub}/approval/${approval}/approve`,
    `countersign://${hub}/approval/${approval}?decision=approve`,
    `countersign://${hub}/inbox#x`,
    `countersign://${hub}/inbox/${approval}`,
    `countersign://${hub}/settings`,
    `countersign://${hub}/sign-in`,
    `countersign://${hub}/constructor`,
    `countersign://${hub}/__proto__`,
    `countersign://${hub}/approval/..%2f${approval}`,
    `countersign://${hub}/../${hub}/inbox`,
    `countersign://${hub}/approval/${approval}\n`,
    ` countersign://${hub}/inbox`,
    `countersign://${hub}//inbox`,
    `countersign://${hub}/inbox?token=x`,
    `countersign://${hub}/${"x".repeat(400)}`,
    `countersign://${hub}/add?url=https://evil.example`
  ])("E12: %j opens nothing", (text) => {
    assert.isUndefined(parseDeepLink(text))
  })

  it("are parsed back to the same value", () => {
    for (const link of [{ hubId: hub, screen: "usage" }, { hubId: hub, screen: "device", id: newId("dev") }] as const) {
      assert.deepStrictEqual<unknown>(parseDeepLink(deepLinkOf(link)), link)
    }
  })

  it("E17: accepts one link in the arguments of a start, and ignores several", () => {
    const link = `countersign://${hub}/inbox`
    assert.isDefined(deepLinkIn(["/usr/bin/countersign", "--hidden", link]))
    assert.isUndefined(deepLinkIn(["/usr/bin/countersign", link, link]))
    assert.isUndefined(deepLinkIn([`--open=${link}`]))
    assert.isUndefined(deepLinkIn([`COUNTERSIGN://${hub}/inbox`]))
  })

  it("E12: reports an unknown hub and never adds it", () => {
    const link = parseDeepLink(`countersign://${hub}/inbox`)!
    assert.deepStrictEqual(resolveDeepLink(link, [{ id: "prf_1", hub_id: "other" }], "prf_1"), {
      kind: "unknown_hub",
      hubId: hub
    })
    const profiles = [{ id: "prf_1", hub_id: "other" }, { id: "prf_2", hub_id: hub }, { id: "prf_3", hub_id: hub }]
    // Of two profiles of one hub, the current one; otherwise the first.
    for (const [current, opened] of [["prf_3", "prf_3"], ["prf_1", "prf_2"], [null, "prf_2"]] as const) {
      assert.deepStrictEqual(resolveDeepLink(link, profiles, current), {
        kind: "open",
        profile: { id: opened, hub_id: hub },
        link
      })
    }
  })

  it("opens the console's path in the workspace that was open before", () => {
    assert.strictEqual(
      screenPath(parseDeepLink(`countersign://${hub}/approval/${approval}`)!, "org_1"),
      `/w/org_1/approvals/${approval}`
    )
    assert.strictEqual(screenPath(parseDeepLink(`countersign://${hub}/money`)!, "org_1"), "/w/org_1/money")
    assert.strictEqual(screenPath({ screen: "inbox" }, undefined), "/")
  })

  it("opens an agent request or a budget request in the inbox of its workspace", () => {
    const id = newId("arq")
    assert.strictEqual(inboxRowPath({ workspace: "org_1", id }), `/w/org_1/inbox?open=${id}`)
    assert.strictEqual(
      inboxRowPath({ workspace: "org_1", id: "arq_1&show=decided" }),
      "/w/org_1/inbox?open=arq_1%26show%3Ddecided"
    )
  })
})
