/**
 * The adapter of the governed service `device`: it queues a command and reports `running` until the command ends. Spec:
 * reference/devices.md "Governed service".
 */
import { Effect } from "effect"
import { type Adapter, type AsyncOutcome, detailText, failed } from "../providers/adapter.ts"
import type { DevicePayload, DeviceWork, Ended } from "./work.ts"

export const outcomeOf = (ended: Ended): AsyncOutcome => {
  switch (ended.kind) {
    case "open":
      return { kind: "running" }
    case "succeeded":
      return { kind: "executed", result: ended.result }
    case "failed":
      return { kind: "failed", detail: detailText(ended.detail), code: ended.code }
  }
}

export const deviceAdapter = (work: DeviceWork["Service"]): Adapter => ({
  execute: (_definition, { agent, operation, orgId, payload, requestId }) =>
    Effect.map(
      work.queue({ org: orgId, request: requestId, agent, tool: operation, payload: payload as DevicePayload }),
      (queued) => queued.kind === "queued" ? { kind: "running", ref: queued.command } : failed(queued.detail)
    ),
  poll: (_definition, ref, { orgId }) => Effect.map(work.outcome(orgId, ref), outcomeOf),
  cancel: (_definition, ref, { agent, orgId }) => work.cancel(orgId, ref, agent)
})
