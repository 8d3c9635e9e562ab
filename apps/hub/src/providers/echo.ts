/** `echo.say`: no network, for first steps, health checks and benches. Spec: contract 2 "Always present, without network". */
import { Effect } from "effect"
import type { Adapter } from "./adapter.ts"

export const echoAdapter: Adapter = {
  execute: (_definition, call) => Effect.succeed({ kind: "executed", result: { echo: call.payload } })
}
