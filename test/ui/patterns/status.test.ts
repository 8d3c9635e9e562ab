import { ApprovalStatus } from "@countersign/domain/approvals"
import { RequestStatus } from "@countersign/domain/service-requests"
import { statusLook, toneOf } from "@countersign/ui/patterns/status.ts"
import { describe, expect, it } from "vitest"

const all = [...RequestStatus.literals, ...ApprovalStatus.literals]

describe("a status", () => {
  it("that waits for a person is told apart from all that do not", () =>
    expect(all.filter((status) => statusLook(status) === "waiting")).toEqual(["approval_required", "pending"]))
  it("of the contract has a look of its own kind; only an end without a verdict is neutral", () =>
    expect(all.filter((status) => toneOf[statusLook(status)] === "neutral")).toEqual(["expired", "cancelled"]))
  it("that nobody knows claims nothing", () => expect(toneOf[statusLook("something_new")]).toBe("neutral"))
})
