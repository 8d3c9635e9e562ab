/** Decodes a rendered configuration for the module that takes it. */
import type { StepOutcome } from "@countersign/domain/run-state"
import { Result, Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export type Decoded<A> =
  | { readonly kind: "valid"; readonly value: A }
  | { readonly kind: "invalid"; readonly outcome: StepOutcome }

export const decodeConfig = <A, I>(schema: Schema.Codec<A, I>, value: unknown): Decoded<A> => {
  const decoded = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value)
  if (Result.isSuccess(decoded)) return { kind: "valid", value: decoded.success }
  const [issue] = format(decoded.failure.issue).issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  return {
    kind: "invalid",
    outcome: {
      kind: "failed",
      error: {
        code: "invalid_input",
        message: `config${path === "" ? "" : `.${path}`}: ${issue?.message ?? "It is not valid."}`
      },
      retryable: false
    }
  }
}
