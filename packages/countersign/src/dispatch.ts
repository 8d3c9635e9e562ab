/** `dispatch`, `estimate`, and `requests`. */
import type { Outcome } from "@countersign/client"
import { Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Cli } from "./cli.ts"
import { columns } from "./columns.ts"
import { command, first, given, limit, optionalText, undefinedOf } from "./define.ts"
import { exitCodeOf, usageError } from "./exit.ts"
import { readObject } from "./input.ts"
import { dollars } from "./output.ts"

/** A `running` request is waited for this long; an approval only with `--wait`. */
const runningSeconds = 60

const target = Argument.String("service.operation").pipe(
  Argument.withDescription("The operation, such as echo.say")
)
const payload = Argument.String("payload").pipe(
  Argument.optional,
  Argument.withDescription("The payload: JSON, @FILE, or - for standard input. Default: {}")
)

const actionOf = async (name: string, text: Option.Option<string>) => {
  const dot = name.indexOf(".")
  if (dot < 1 || dot === name.length - 1) throw usageError(`"${name}" is no operation. Write it as service.operation.`)
  return {
    service: name.slice(0, dot),
    operation: name.slice(dot + 1),
    payload: Option.isSome(text) ? await readObject(text.value) : {}
  }
}

/** Prints an outcome, and returns the exit code of its status. */
const show = (cli: Cli, outcome: Outcome): number => {
  cli.out.one(outcome, cli.out.format === "table" ? columns.requests : undefined)
  if (cli.out.format === "table") {
    if (outcome.status === "executed") cli.out.text(JSON.stringify(outcome.result, undefined, 2))
    if (outcome.status === "blocked") cli.out.note(outcome.block?.message ?? outcome.reason_code)
    if (outcome.status === "failed") cli.out.note(`${outcome.code}: ${outcome.detail}`)
    if (outcome.status === "approval_required") {
      cli.out.note(`A person must decide ${outcome.approval_id}. Then: countersign requests wait ${outcome.id}`)
    }
  }
  return exitCodeOf(outcome)
}

export const dispatch = command(
  "dispatch",
  "Send one action as an agent, and print its outcome.",
  {
    target,
    payload,
    wait: Flag.Int("wait").pipe(
      Flag.optional,
      Flag.withDescription("Wait this many seconds, for a person's decision too")
    ),
    key: optionalText("idempotency-key", "The same key never executes twice"),
    test: optionalText("test-outcome", "Of a test key: approval, failure, running, or blocked")
  },
  async (cli, { key, payload, target, test, wait }) => {
    const action = await actionOf(target, payload)
    const client = cli.agent()
    const testOutcome = undefinedOf(test) as "approval" | undefined
    const sent = await client.dispatch(action, {
      ...given({ idempotencyKey: key }),
      ...testOutcome === undefined ? {} : { testOutcome }
    })
    const seconds = Option.getOrElse(wait, () => runningSeconds)
    const isOpen = sent.status === "running" || (sent.status === "approval_required" && Option.isSome(wait))
    if (!isOpen || seconds === 0) return show(cli, sent)
    if (sent.status === "approval_required") cli.out.note(`Waiting for a decision of ${sent.approval_id}…`)
    return show(cli, await client.poll(sent.id, { budget: seconds * 1_000, untilDecided: Option.isSome(wait) }))
  }
)

export const estimate = command(
  "estimate",
  "Show the outcome that dispatch would have now. Changes nothing.",
  { target, payload, agent: optionalText("agent", "The agent, for a person's token") },
  async (cli, { agent, payload, target }) => {
    const action = await actionOf(target, payload)
    const client = Option.isSome(agent) ? cli.person() : cli.agent()
    const estimated = await client.estimate({ ...action, ...given({ agent_id: agent }) })
    cli.out.one(estimated)
    if (estimated.block?.message !== undefined && cli.out.format === "table") cli.out.note(estimated.block.message)
  }
)

const id = Argument.String("id")

const list = command(
  "list",
  "List requests, newest first.",
  {
    limit,
    status: optionalText("status", "Only this status"),
    agent: optionalText("agent", "Only this agent"),
    service: optionalText("service", "Only this service")
  },
  async (cli, { agent, limit, service, status }) =>
    cli.out.rows(
      await first(cli.either().serviceRequests.list(given({ status, agent_id: agent, service }) as object), limit),
      columns.requests,
      "No requests."
    )
)

const showOne = command("show", "Show one request.", { id }, async (cli, { id }) => {
  const request = await cli.either().serviceRequests.get(id)
  cli.out.one(request, cli.out.format === "table" ? columns.requests : undefined)
  if (cli.out.format === "table" && request.result !== undefined) {
    cli.out.text(JSON.stringify(request.result, undefined, 2))
  }
})

const wait = command(
  "wait",
  "Wait until a request has its outcome, and print it.",
  { id, seconds: Flag.Int("seconds").pipe(Flag.withDefault(300), Flag.withDescription("How long (300)")) },
  async (cli, { id, seconds }) =>
    show(cli, await cli.either().poll(id, { budget: seconds * 1_000, untilDecided: true }))
)

const cancel = command("cancel", "Cancel a request that is pending or running.", { id }, async (cli, { id }) => {
  const request = await cli.either().serviceRequests.cancel(id)
  cli.out.one(request, cli.out.format === "table" ? columns.requests : undefined)
})

export const requests = Command.make("requests").pipe(
  Command.withDescription("Service requests."),
  Command.withSubcommands([list, showOne, wait, cancel])
)

export const balance = command("balance", "Show the money of the workspace.", {}, async (cli) => {
  const found = await cli.person().ledger.balance()
  cli.out.one(found)
  if (cli.out.format === "table" && "available_cents" in found) {
    cli.out.note(`${dollars(found.available_cents)} can be spent.`)
  }
})
