import { agentRequestCommentMax } from "@countersign/domain/agent-requests"
import { batchDecisionsMax } from "@countersign/domain/approvals"
import { Role, rolePermissions } from "@countersign/domain/auth"
import { budgetCommentMax } from "@countersign/domain/budget-requests"
import { commentLengthMax as contractCommentMax } from "@countersign/domain/service-requests"
import { describe, expect, it } from "vitest"
import {
  batchMax,
  commentLengthMax,
  decidingRoles,
  requestCommentMax
} from "../../../packages/ui/src/approvals/limits-of-contract.ts"
import { readNumber, readPayload, writtenPayload } from "../../../packages/ui/src/approvals/payload-text.ts"

describe("constants copied from the contract", () => {
  it("equal the contract's", () => {
    expect(batchMax).toBe(batchDecisionsMax)
    expect(commentLengthMax).toBe(contractCommentMax)
    expect([requestCommentMax, requestCommentMax]).toEqual([agentRequestCommentMax, budgetCommentMax])
    expect([...decidingRoles]).toEqual(Role.literals.filter((role) => rolePermissions[role].has("approvals:decide")))
  })
})

describe("a payload as text", () => {
  it("is read back as it was written", () => {
    const payload = { to: "+41", items: [1, null], token: { $masked: true } }
    expect(readPayload(writtenPayload(payload))).toEqual({ payload })
  })

  it("reports text that is not JSON or not an object", () => {
    expect(readPayload("{")).toMatchObject({ problem: "not_json" })
    for (const text of ["[]", "null", "7", "\"x\""]) expect(readPayload(text)).toEqual({ problem: "not_object" })
  })

  it("reads numbers as JSON does", () => {
    expect(readNumber(" -1.5e3 ")).toBe(-1_500)
    for (const text of ["", "1,5", "0x1", "Infinity", "1e999", "one"]) expect(readNumber(text)).toBeUndefined()
  })
})
