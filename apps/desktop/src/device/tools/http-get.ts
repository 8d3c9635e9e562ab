/** `http.get`: as guarded as the hub's own calls; private addresses only where the owner's `net.allow` lists them. */
import type { ToolInput } from "@countersign/domain/device-tools"
import { makeEgress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { Cause, Effect, Exit } from "effect"
import { denied, failed } from "../results/refusal.ts"
import type { ToolOf } from "./tool.ts"

/** A longer body is cut. */
const bodyBytesMax = 256 * 1024
/** Upper limit; the command's own timeout may be shorter. */
const timeoutMs = 300_000

export const httpGet: ToolOf<ToolInput<"http.get">> = ({ input, rules }) => ({
  deed: {},
  plan: {},
  run: async ({ stop }) => {
    const allow = parseAllowList((rules.net?.allow ?? []).join(","))
    if (allow.problem !== undefined) throw denied("rules_invalid", `net.allow of this device's rules: ${allow.problem}`)
    const call = Effect.scoped(
      Effect.flatMap(makeEgress({ allow: allow.entries }), (egress) =>
        egress.request({
          url: input.url,
          method: "GET",
          headers: input.headers ?? {},
          timeoutMs,
          maxBytes: bodyBytesMax
        }))
    )
    const exit = await Effect.runPromiseExit(call, { signal: stop })
    stop.throwIfAborted()
    if (Exit.isFailure(exit)) {
      const error = Cause.squash(exit.cause) as { readonly _tag?: string; readonly message?: string }
      if (error._tag === "EgressRefused") {
        throw denied("egress_refused", "This device calls public addresses only, and those of its owner's net.allow")
      }
      throw failed("unreachable", error.message ?? "no answer came")
    }
    const { body, headers, status, truncated, url } = exit.value
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const isText = !text.includes(0) && Buffer.from(text.toString("utf8"), "utf8").equals(text)
    return {
      outcome: status < 400 ? "succeeded" : "failed",
      result: {
        url,
        status,
        headers,
        body: text.toString(isText ? "utf8" : "base64"),
        encoding: isText ? "utf8" : "base64",
        truncated
      },
      ...(status < 400 ? {} : { error: { code: "http_status", message: `It answered ${status}` } })
    }
  }
})
