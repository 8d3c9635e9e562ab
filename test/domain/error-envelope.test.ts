import { readErrorEnvelope } from "@countersign/domain/error-envelope"
import { ErrorBody } from "@countersign/domain/errors"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("the error envelope", () => {
  it.prop("of every error that the contract allows is read in full", [ErrorBody], ([body]) => {
    const sent: unknown = JSON.parse(
      JSON.stringify({ error: { ...body, code: `c${body.code}`, message: `m${body.message}` } })
    )
    const { request_id, ...read } = readErrorEnvelope(sent)
    const decoded = Schema.decodeUnknownSync(Schema.Struct({ error: ErrorBody }))(sent).error
    assert.deepStrictEqual<unknown>(
      { ...read, ...request_id === undefined ? {} : { request_id } },
      decoded.request_id === "" ? (({ request_id: _, ...rest }) => rest)(decoded) : decoded
    )
  })

  it("omits members of another type, and details without a path", () => {
    const error = {
      code: 7,
      message: "",
      request_id: null,
      details: [{ path: "a", message: "b" }, 7, { path: 1 }],
      data: []
    }
    assert.deepStrictEqual(readErrorEnvelope({ error }), { details: [{ path: "a", message: "b" }] })
  })

  it.each([undefined, null, "<h1>Bad Gateway</h1>", [], { error: "no" }, { error: [] }])("is empty for %j", (body) => {
    assert.deepStrictEqual(readErrorEnvelope(body), {})
  })
})
