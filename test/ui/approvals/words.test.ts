import { batchDecisionsMax } from "@countersign/domain/approvals"
import { Role, rolePermissions } from "@countersign/domain/auth"
import { describe, expect, it } from "vitest"
import { batchMax, decidingRoles } from "../../../packages/ui/src/approvals/limits-of-contract.ts"
import { readNumber, readPayload, writtenPayload } from "../../../packages/ui/src/approvals/payload-text.ts"

describe("what the console knows of the contract without its schemas", () => {
  it("is what the contract says", () => {
    expect(batchMax).toBe(batchDecisionsMax)
    expect([...decidingRoles]).toEqual(Role.literals.filter((role) => rolePermissions[role].has("approvals:decide")))
  })
})

describe("a payload as text", () => {
  it("is read back as it was written", () => {
    const payload = { to: "+41", items: [1, null], token: { $masked: true } }
    expect(readPayload(writtenPayload(payload))).toEqual({ payload })
  })

  it("that is no JSON, or no object, is told so", () => {
    expect(readPayload("{")).toMatchObject({ problem: "not_json" })
    for (const text of ["[]", "null", "7", "\"x\""]) expect(readPayload(text)).toEqual({ problem: "not_object" })
  })

  it("has numbers as JSON has them", () => {
    expect(readNumber(" -1.5e3 ")).toBe(-1_500)
    for (const text of ["", "1,5", "0x1", "Infinity", "1e999", "one"]) expect(readNumber(text)).toBeUndefined()
  })
})
