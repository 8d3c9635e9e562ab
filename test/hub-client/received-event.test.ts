import { HubEvent } from "@countersign/domain/events"
import { readEvent } from "@countersign/hub-client/received-event"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const decode = Schema.decodeUnknownSync(HubEvent)
const isEvent = Schema.is(HubEvent)
const event = {
  id: "evt_1",
  type: "agent.updated",
  subject: { type: "agent", id: "agt_1" },
  version: 7,
  workspace: "org_1"
}

describe("an event of the stream", () => {
  it.prop("is read like the contract's schema reads it", [HubEvent], ([sent]) => {
    const text = JSON.stringify(sent)
    assert.deepStrictEqual<unknown>(readEvent(text), decode(JSON.parse(text)))
  })

  it("may be of a type that this client does not have", () => {
    assert.strictEqual(readEvent(JSON.stringify({ ...event, type: "flight.booked" }))?.type, "flight.booked")
  })

  it("loses members that this client does not have", () => {
    assert.deepStrictEqual<unknown>(readEvent(JSON.stringify({ ...event, added: 1 })), event)
  })

  it.each([
    { ...event, id: 7 },
    { ...event, type: null },
    { ...event, subject: "agt_1" },
    { ...event, subject: { type: "agent" } },
    { ...event, subject: { id: "agt_1" } },
    { ...event, version: "7" },
    { ...event, version: 7.5 },
    { ...event, workspace: null },
    [],
    null,
    7
  ])("is refused as %j, as by the schema", (sent) => {
    assert.isUndefined(readEvent(JSON.stringify(sent)))
    assert.isFalse(isEvent(sent))
  })

  it("is refused without JSON", () => assert.isUndefined(readEvent("{")))
})
