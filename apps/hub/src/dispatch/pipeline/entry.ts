/**
 * Builds the tick's entry from a decided submission: its limits, the approval to file if it requires one, its audit
 * entry.
 */
import { newId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { createHash } from "node:crypto"
import { entryDataText } from "../../platform/audit-entry-data.ts"
import { actorLine } from "../../platform/audit-log.ts"
import { storedFiling } from "../../platform/filing.ts"
import type { Found } from "../decision/configuration.ts"
import { limitSetOf, type OperationLimits, payerOf } from "../decision/decision.ts"
import type { Begin, Granted, Wait } from "../money-core/entries.ts"
import type { Attempt, Verdict } from "./states.ts"
import { keyOf, keyScope, type Submission } from "./submission.ts"
import { failedResult } from "./work.ts"

/** The digest that an approval is bound to: SHA-256 in hex. */
const payloadDigest = ({ agent, mode, operation, payload, service }: Submission, ceilingCents: number): string =>
  createHash("sha256")
    .update(canonicalize({ agent_id: agent, ceiling_cents: ceilingCents, mode, operation, payload, service }))
    .digest("hex")

const waitOf = (asked: Submission, decision: Extract<Verdict, { readonly kind: "admit" | "wait" }>): Wait | null => {
  const { ceilingCents, wait } = decision
  return wait === undefined ? null : {
    id: newId("apr"),
    threshold_cents: wait.thresholdCents,
    reason: wait.reason,
    ...(wait.policyId === undefined ? {} : { policy_id: wait.policyId }),
    required: wait.required,
    ...(wait.deciders === undefined ? {} : { deciders: JSON.stringify(wait.deciders) }),
    life_seconds: wait.lifeSeconds,
    digest: payloadDigest(asked, ceilingCents),
    ...(asked.origin?.user_id === undefined ? {} : { filed_by: asked.origin.user_id })
  }
}

const grantedOf = ({ asked, granting, id }: Attempt): Granted | null => {
  if (granting === undefined) return null
  const { actor, approvalId, by, comment, entry, standing } = granting.grant
  return {
    id: approvalId,
    by,
    ...(comment === undefined ? {} : { comment }),
    actor: actorLine(actor),
    audit: entry,
    ...(actor.ip === undefined ? {} : { ip: actor.ip }),
    data: entryDataText({
      service_request_id: id,
      service: asked.service,
      operation: asked.operation,
      mode: asked.mode,
      ...(standing === undefined ? {} : { standing_approval_id: standing.id }),
      ...(actor.via === undefined ? {} : { via: actor.via })
    })
  }
}

/** `limits`: the rows that count the operation; `undefined` when the operation is not counted. */
export const beginOf = (
  attempt: Attempt,
  { agent, org }: Found,
  decision: Verdict,
  limits: OperationLimits | undefined
): Begin => {
  const { asked } = attempt
  const planned = decision.kind === "admit" || decision.kind === "wait"
  const standing = decision.kind === "admit" ? attempt.granting?.grant.standing ?? decision.plan.standing : undefined
  const granted = grantedOf(attempt)
  const { wallet } = payerOf(agent, asked.task)
  return {
    id: attempt.id,
    org: org.id,
    agent: agent.id,
    agentVersion: agent.version,
    rulesVersion: org.rulesVersion,
    mode: asked.mode,
    service: asked.service,
    operation: asked.operation,
    scope: keyOf(asked) === undefined ? null : keyScope(agent.id, asked.mode),
    key: asked.key ?? null,
    ...asked.pickUp === undefined ? {} : { pickUp: asked.pickUp },
    hash: attempt.hash,
    verdict: decision.kind,
    ceilingCents: decision.ceilingCents,
    limits: limits === undefined ? [] : limitSetOf(agent, asked, limits, standing),
    wallet: asked.mode === "live" ? wallet : null,
    check: limits !== undefined && asked.mode === "test" ? wallet : null,
    payload: attempt.canonical,
    reason: decision.kind === "blocked" ? decision.reason : decision.kind === "wait" ? "approval_threshold" : null,
    result: decision.kind === "failed" ? failedResult(decision.code, decision.detail) : null,
    block: decision.kind === "blocked" ? JSON.stringify(decision.block) : null,
    wait: planned ? waitOf(asked, decision) : null,
    origin: storedFiling(asked),
    script: attempt.granting?.script ?? asked.script ?? null,
    granted,
    audit: newId("aud"),
    actor: actorLine(granted === null ? asked.actor : { ...asked.actor, name: agent.name }),
    ip: asked.actor.ip ?? null,
    data: entryDataText({
      service: asked.service,
      operation: asked.operation,
      mode: asked.mode,
      ceiling_cents: decision.ceilingCents,
      ...(asked.task === undefined ? {} : { task_id: asked.task }),
      ...(standing === undefined ? {} : { standing_approval_id: standing.id })
    })
  }
}
