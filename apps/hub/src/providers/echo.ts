/**
 * `echo.say`: no network, for first steps, health checks, and benchmarks. Spec: reference/services.md "Shipped
 * services".
 */
import { Effect } from "effect"
import type { Adapter } from "./adapter.ts"

export const echoAdapter: Adapter = {
  execute: (_definition, call) => Effect.succeed({ kind: "executed", result: { echo: call.payload } })
}
