import { webhookTypes } from "@countersign/domain/webhook-endpoints"
import { webhooksText } from "@countersign/ui/text/webhooks"
import { eventsText, isAll, selectableTypes } from "@countersign/ui/webhooks/webhook-types"
import { assert, describe, it } from "@effect/vitest"

describe("event types of the form", () => {
  it("are those of the hub, each with a description", () => {
    assert.sameMembers(Object.keys(webhooksText.types), [...webhookTypes])
    assert.sameMembers([...selectableTypes], webhookTypes.filter((type) => type !== "webhook.test"))
  })

  it("are named up to three, counted beyond, and all of them are one choice", () => {
    assert.strictEqual(eventsText(webhookTypes), "All events")
    assert.isTrue(isAll(selectableTypes))
    assert.isFalse(isAll(selectableTypes.slice(1)))
    assert.strictEqual(eventsText(["app.updated", "budget.alert"]), "app.updated, budget.alert")
    assert.strictEqual(eventsText(selectableTypes.slice(0, 4)), "4 event types")
  })
})
