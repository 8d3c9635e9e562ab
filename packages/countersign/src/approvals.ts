/** `approvals`: a person sees the seal of what they approve, and answers with `y`, never with Enter alone. */
import type { Approval } from "@countersign/client"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { Cli } from "./cli.ts"
import { columns } from "./columns.ts"
import { command, first, given, limit, optionalText, undefinedOf } from "./define.ts"
import { CommandError, usageError } from "./exit.ts"
import { ask } from "./input.ts"
import { dollars, emphasized, safe } from "./output.ts"

const id = Argument.String("id")
const comment = optionalText("comment", "A comment that the agent and other people read")

/** The beginning of the digest of the action, in groups: the same in every place that shows this approval. */
const sealOf = ({ payload_digest }: Approval): string =>
  payload_digest === undefined ? "" : payload_digest.slice(0, 16).replaceAll(/(.{4})(?=.)/gu, "$1 ")

/** The action as a person reads it, on standard error: data stays on standard output. */
const present = (cli: Cli, approval: Approval): void => {
  const { agent, cost_cents, expires_at, operation, payload, remaining, request_reason, service } = approval
  const what = service === undefined ? approval.kind : `${service}.${operation ?? ""}`
  cli.out.note("")
  cli.out.note(emphasized(`${agent.name} requests ${what} for at most ${dollars(cost_cents)}`))
  if (request_reason !== undefined) cli.out.note(`Reason    ${request_reason}`)
  if (payload !== undefined) {
    for (const line of JSON.stringify(payload, undefined, 2).split("\n")) cli.out.note(`  ${line}`)
  }
  if (remaining !== undefined) cli.out.note(`Wallet    ${dollars(remaining.wallet_cents)}`)
  cli.out.note(`Expires   ${expires_at}`)
  cli.out.note(`Seal      ${sealOf(approval)}`)
}

const canDecide = ({ allowed_decisions }: Approval, decision: string): string | undefined => {
  const found = (allowed_decisions ?? []).find((each) => each.decision === decision)
  return found === undefined || found.allowed ? undefined : found.denied_because ?? "You may not decide this."
}

const approveOne = async (cli: Cli, approval: Approval, comment: string | undefined): Promise<number> => {
  const denied = canDecide(approval, "approve")
  if (denied !== undefined) throw new CommandError(denied)
  const { approval: decided, service_request: request } = await cli.person().approvals.approve(approval.id, {
    ...approval.payload_digest === undefined ? {} : { payload_digest: approval.payload_digest },
    ...comment === undefined ? {} : { comment }
  })
  cli.out.one(decided, cli.out.format === "table" ? columns.approvals : undefined)
  if (request !== undefined && cli.out.format === "table") {
    cli.out.note(
      `The request is ${request.status}: ${dollars(request.cost_cents)} of ${dollars(request.ceiling_cents)}.`
    )
  }
  return 0
}

const list = command(
  "list",
  "List pending approvals, oldest first.",
  {
    limit,
    status: optionalText("status", "pending (default), approved, rejected, expired, or cancelled"),
    agent: optionalText("agent", "Only this agent")
  },
  async (cli, { agent, limit, status }) =>
    cli.out.rows(
      await first(cli.person().approvals.list(given({ status, agent_id: agent }) as object), limit),
      columns.approvals,
      "No pending approvals."
    )
)

const show = command("show", "Show one approval with its payload.", { id }, async (cli, { id }) => {
  const approval = await cli.person().approvals.get(id)
  if (cli.out.format !== "table") return cli.out.one(approval)
  present(cli, approval)
})

const approve = command(
  "approve",
  "Approve a request, after its seal is shown.",
  { id, comment },
  async (cli, { comment, id }) => {
    const approval = await cli.person().approvals.get(id)
    if (!cli.flags.yes) {
      if (!cli.out.isInteractive) throw usageError("Without a terminal, approve with --yes.")
      present(cli, approval)
      if (await ask("Approve? Type y, then Enter: ") !== "y") throw new CommandError("Nothing was approved.")
    }
    return approveOne(cli, approval, undefinedOf(comment))
  }
)

const reject = command("reject", "Reject a request.", { id, comment }, async (cli, { comment, id }) => {
  await cli.confirm("Reject this request?")
  const rejected = await cli.person().approvals.reject(id, given({ comment }))
  cli.out.one(rejected, cli.out.format === "table" ? columns.approvals : undefined)
})

/** Shows an approval and decides it in place, if the person wants to. */
export const decideInPlace = async (cli: Cli, approval: Approval): Promise<void> => {
  present(cli, approval)
  const denied = canDecide(approval, "approve")
  if (denied !== undefined) return cli.out.note(denied)
  for (;;) {
    const answer = await ask("y approves, n rejects, s skips, then Enter: ")
    if (answer === undefined) throw new CommandError("")
    if (answer === "s") return
    try {
      if (answer === "y") return void await approveOne(cli, approval, undefined)
      if (answer === "n") {
        await cli.person().approvals.reject(approval.id)
        return cli.out.note("Rejected.")
      }
    } catch (error) {
      // Another person was faster, or the amount changed: the next one follows.
      return cli.out.note(safe(error instanceof Error ? error.message : String(error)))
    }
  }
}

const watch = command(
  "watch",
  "Follow the inbox: each pending approval, now and as it arrives. On a terminal, decide them in place.",
  {},
  async (cli) => {
    const client = cli.person()
    const known = new Set<string>()
    const take = async (approval: Approval) => {
      if (known.has(approval.id) || approval.status !== "pending") return
      known.add(approval.id)
      if (cli.out.isInteractive && cli.out.format === "table") await decideInPlace(cli, approval)
      else cli.out.row(approval, columns.approvals)
    }
    const catchUp = async (): Promise<string> => {
      const page = await client.approvals.list()
      for await (const approval of client.approvals.list()) await take(approval)
      return page.as_of
    }
    const from = await catchUp()
    if (cli.out.format === "table") cli.out.note("Waiting for approvals. Press Ctrl-C to end.")
    for await (const { data, event } of client.events.stream({ cursor: from })) {
      if (event === "reset") await catchUp()
      else if (event === "approval.created" || event === "approval.updated") {
        await take(await client.approvals.get(data.subject.id))
      }
    }
  }
)

export const approvals = Command.make("approvals").pipe(
  Command.withDescription("Requests that a person must decide."),
  Command.withSubcommands([list, show, approve, reject, watch])
)
