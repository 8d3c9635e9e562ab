import { ApprovalStatus } from "@countersign/domain/approvals"
import { RequestStatus } from "@countersign/domain/service-requests"
import { statusLook, toneOf } from "@countersign/ui/patterns/status.ts"
import { describe, expect, it } from "vitest"

const all = [...RequestStatus.literals, ...ApprovalStatus.literals]

describe("status look", () => {
  it("distinguishes statuses that require a person from all others", () =>
    expect(all.filter((status) => statusLook(status) === "waiting")).toEqual(["approval_required", "pending"]))
  it("exists for each status of the contract; only an end without a decision is neutral", () =>
    expect(all.filter((status) => toneOf[statusLook(status)] === "neutral")).toEqual(["expired", "cancelled"]))
  it("is neutral for an unknown status", () => expect(toneOf[statusLook("something_new")]).toBe("neutral"))
})
