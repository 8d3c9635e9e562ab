/**
 * Every approval from the console passes through this module: main reads each approval again, compares its digest with
 * the digest that the page sent, and above the profile's limit requires confirmation in main's own window. A
 * compromised page therefore cannot approve a payload with another digest than the hub's, cannot exceed the limit in
 * one decision (an approval with its standing approval, or a batch by its sum), and cannot raise the limit, which
 * requires main's window. A hub that is removed and added again, or added under another address, keeps its limit. Not
 * prevented: decisions within the limit are not summed, and the page can change everything else that the person can
 * change on the hub, including its rules. Spec: reference/desktop.md "E10: approvals and credentials".
 */
import type { Approval } from "@countersign/domain/approvals"
import type { Input, Output } from "@countersign/hub-client/contract"
import { HubError, isHubError } from "@countersign/hub-client/error"
import type { BridgedOptions, ConfirmFacts, ConfirmRemembered, ConfirmRow } from "../../bridge/contract.ts"
import type { Connection } from "../hub/connection.ts"
import type { Profile } from "../profiles/profile.ts"
import { payloadFields } from "./payload-fields.ts"

/** Approvals that are read in parallel. */
const readsAtOnce = 8

export interface Asking {
  readonly profile: Profile
  readonly connection: Connection
  /** Resolves to true only when a person confirmed in main's own window. */
  readonly confirm: (facts: ConfirmFacts) => Promise<boolean>
}

const refused = (status: number, code: string, message: string, data: Readonly<Record<string, unknown>> = {}) =>
  new HubError({ status, code, message, data })
const changed = (id: string) =>
  refused(409, "digest_mismatch", "This approval differs from the one that was shown. Read it again.", {
    approval_id: id
  })
const noDigest = () =>
  refused(400, "invalid_request", "An approval needs the payload_digest of the payload that was shown.")
const notConfirmed = () =>
  refused(403, "not_confirmed", "Not approved: the approval was not confirmed in the app's window.")

const readAgain = (connection: Connection, id: string, { workspace }: BridgedOptions): Promise<Approval> =>
  connection.call("approvals.get", { params: { id } }, { workspace })

/**
 * The maximum amount that a decision releases: the approval's ceiling, or the caps of the standing approval that it
 * creates.
 */
const releasedCents = (
  { cost_cents }: Approval,
  remember: { readonly max_cost_cents: number; readonly max_total_cents?: number } | undefined
): number => Math.max(cost_cents, remember?.max_cost_cents ?? 0, remember?.max_total_cents ?? 0)

/** Workspace names by id; empty when the hub does not answer, and ids are shown instead. */
const namesOf = async (connection: Connection): Promise<ReadonlyMap<string, string>> => {
  try {
    const { workspaces } = await connection.call("auth.me", {})
    return new Map(workspaces.map(({ id, name }) => [id, name]))
  } catch {
    return new Map()
  }
}

/** The service and operation, the device command, or the title of a workflow's step; absent for other kinds. */
const whatOf = ({ kind, operation, reason, service }: Approval): { readonly what?: string } => {
  if (kind === "device_command") return operation === undefined ? {} : { what: operation }
  if (kind === "workflow_step") return { what: reason }
  return service === undefined ? {} : { what: operation === undefined ? service : `${service}.${operation}` }
}

/** `ahead`: how far the hub's clock is ahead of this computer's, in milliseconds. */
const rowOf = (names: ReadonlyMap<string, string>, ahead: number) => (approval: Approval): ConfirmRow => {
  const { agent, cost_cents, device, expires_at, id, org_id, payload, payload_digest, requested_by } = approval
  return {
    id,
    who: requested_by?.name ?? agent.name,
    ...whatOf(approval),
    ...device === undefined ? {} : { device: device.name },
    workspace: names.get(org_id) ?? org_id,
    digest: payload_digest,
    cost_cents,
    expires_at: Date.parse(expires_at) - ahead,
    ...payloadFields(payload)
  }
}

/** Requires a person's confirmation above the limit. */
const withinLimit = async (
  { confirm, connection, profile }: Asking,
  approvals: ReadonlyArray<Approval>,
  total: number,
  remembered: ConfirmRemembered | undefined
): Promise<void> => {
  const { limit_cents, name, url } = profile
  if (limit_cents === undefined || total <= limit_cents) return
  const [first, ...others] = approvals
  const wallet = first !== undefined && others.every(({ org_id }) => org_id === first.org_id)
    ? first.remaining.wallet_cents
    : undefined
  const sum = approvals.reduce((cents, { cost_cents }) => cents + cost_cents, 0)
  const isConfirmed = await confirm({
    kind: "approve",
    hub: { name, url },
    rows: approvals.map(rowOf(await namesOf(connection), connection.aheadMillis())),
    total_cents: total,
    limit_cents,
    ...wallet === undefined ? {} : { left_cents: wallet - sum },
    ...remembered === undefined ? {} : { remembered }
  })
  if (!isConfirmed) throw notConfirmed()
}

export const approve = async (
  asking: Asking,
  input: Input<"approvals.approve">,
  options: BridgedOptions
): Promise<Output<"approvals.approve">> => {
  const { id } = input.params
  const { payload_digest, remember } = input.payload ?? {}
  if (payload_digest === undefined) throw noDigest()
  const approval = await readAgain(asking.connection, id, options)
  if (approval.payload_digest !== payload_digest) throw changed(id)
  const repeated = remember?.max_uses === undefined ? 0 : remember.max_cost_cents * remember.max_uses
  await withinLimit(asking, [approval], Math.max(releasedCents(approval, remember), repeated), remember)
  return asking.connection.call("approvals.approve", input, options)
}

const inBatches = async <A, B>(items: ReadonlyArray<A>, work: (item: A) => Promise<B>): Promise<Array<B>> => {
  const done: Array<B> = []
  for (let at = 0; at < items.length; at += readsAtOnce) {
    done.push(...await Promise.all(items.slice(at, at + readsAtOnce).map(work)))
  }
  return done
}

/** Leaves out items whose digest is not the displayed one and answers them as errors; sends the rest. */
export const decide = async (
  asking: Asking,
  input: Input<"approvals.decide">,
  options: BridgedOptions
): Promise<Output<"approvals.decide">> => {
  const body = input.payload
  if (body.decision === "reject") return asking.connection.call("approvals.decide", input, options)
  if (body.items === undefined) throw noDigest()
  type Row = Output<"approvals.decide">["results"][number]
  const read = await inBatches(body.items, async ({ id, payload_digest }): Promise<Approval | Row> => {
    try {
      const approval = await readAgain(asking.connection, id, options)
      if (approval.payload_digest === payload_digest) return approval
      throw changed(id)
    } catch (error) {
      if (!isHubError(error) || error.status === 401) throw error
      return { id, error: { code: error.code, message: error.message } }
    }
  })
  const same = read.filter((row): row is Approval => "payload_digest" in row)
  const others = read.filter((row): row is Row => !("payload_digest" in row))
  if (same.length === 0) return { results: others }
  await withinLimit(asking, same, same.reduce((sum, { cost_cents }) => sum + cost_cents, 0), undefined)
  const kept = new Set<string>(same.map(({ id }) => id))
  const items = body.items.filter(({ id }) => kept.has(id))
  const { results } = await asking.connection.call(
    "approvals.decide",
    { payload: { ...body, items } },
    options
  )
  return { results: [...results, ...others] }
}
