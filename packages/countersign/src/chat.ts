/** `chat`: streams turns of a session; approvals are decided in place, and a cut stream resumes by itself. */
import type { ChatEvent, ChatTurn } from "@countersign/client"
import { Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { decideInPlace } from "./approvals.ts"
import type { Cli } from "./cli.ts"
import { command, given, optionalText } from "./define.ts"
import { exitCodes, usageError } from "./exit.ts"
import { ask, readStandardInput } from "./input.ts"
import { answerLocalTools, localTools, openFolder } from "./local-tools.ts"
import { dollars, safe } from "./output.ts"

const microCents = (value: number): string => {
  const cents = value / 1_000_000
  return cents === 0 ? "$0.00" : cents < 1 ? "less than $0.01" : dollars(Math.round(cents))
}

/** What a person reads of an event beside the text of the answer. */
const noteOf = (event: ChatEvent): string | undefined => {
  switch (event.type) {
    case "tool_planned":
      return `→ ${event.service}.${event.operation}, at most ${dollars(event.cost_cents)}`
    case "tool_done":
      return `← ${event.status}, ${dollars(event.cost_cents)}${
        event.reason_code === undefined ? "" : ` (${event.reason_code})`
      }`
    case "tool_pending":
      return `… ${event.approval_id} requires a decision`
    case "error":
      return event.message
    default:
      return undefined
  }
}

/** Writes the answer as it arrives. `offset` says where a delta belongs, so a replay doubles nothing. */
class Answer {
  readonly #lengths = new Map<number, number>()
  #endsLine = true

  write(cli: Cli, event: ChatEvent): void {
    if (cli.out.format !== "table") return cli.out.row(event, [{ key: "type", title: "TYPE" }])
    if (event.type === "message_delta") {
      const written = this.#lengths.get(event.part) ?? 0
      const text = event.delta.slice(Math.max(0, written - event.offset))
      this.#lengths.set(event.part, Math.max(written, event.offset + event.delta.length))
      if (text === "") return
      process.stdout.write(safe(text))
      this.#endsLine = text.endsWith("\n")
      return
    }
    const note = noteOf(event)
    if (note === undefined) return
    this.endLine()
    cli.out.note(note)
  }

  endLine(): void {
    if (!this.#endsLine) process.stdout.write("\n")
    this.#endsLine = true
  }
}

/** Reads one stream to its end, and returns what the turn needs next. */
const follow = async (cli: Cli, turn: ChatTurn, answer: Answer): Promise<{
  readonly approvals: ReadonlyArray<string>
  readonly localCalls: Parameters<typeof answerLocalTools>[2]
  readonly failed: boolean
  readonly blocked: boolean
}> => {
  const approvals: Array<string> = []
  let localCalls: Parameters<typeof answerLocalTools>[2] = []
  let failed = false
  let blocked = false
  let cost: number | undefined
  for await (const event of turn) {
    answer.write(cli, event)
    if (event.type === "tool_pending") approvals.push(event.approval_id)
    if (event.type === "local_tools_pending") localCalls = event.calls
    if (event.type === "usage") cost = event.accrued_micro_cents
    if (event.type === "error") {
      failed = true
      blocked = event.block !== undefined
    }
  }
  answer.endLine()
  if (cost !== undefined && cli.out.format === "table") cli.out.note(`The turn costs ${microCents(cost)}.`)
  return { approvals, localCalls, failed, blocked }
}

/**
 * Sends a message and follows its turn; on a terminal, its approvals are decided on the way, and local tools run in
 * `folder`.
 */
const say = async (cli: Cli, session_id: string, message: string, folder: string | undefined): Promise<number> => {
  const client = cli.person()
  const answer = new Answer()
  let turn = client.chat.turn({ session_id, message, ...folder === undefined ? {} : { local_tools: localTools } })
  for (;;) {
    const { approvals, blocked, failed, localCalls } = await follow(cli, turn, answer)
    if (failed) return blocked ? exitCodes.blocked : exitCodes.error
    const { reason, turnId } = turn
    if (reason === "pending_approval" && turnId !== undefined) {
      if (!cli.out.isInteractive || cli.out.format !== "table") return exitCodes.approvalRequired
      for (const id of approvals) {
        const approval = await client.approvals.get(id)
        if (approval.status === "pending") await decideInPlace(cli, approval)
        if ((await client.approvals.get(id)).status === "pending") return exitCodes.approvalRequired
      }
      turn = client.chat.turn({ session_id, continue_from: turnId })
      continue
    }
    if (reason === "pending_local_tools" && turnId !== undefined && folder !== undefined) {
      const tool_results = await answerLocalTools(cli, folder, localCalls)
      turn = client.chat.turn({ session_id, continue_from: turnId, tool_results })
      continue
    }
    if (reason === "paused") cli.out.note("The turn is paused. It continues with your next message, or in the console.")
    if (reason === "pending_local_tools") cli.out.note("The turn waits for tools of another program.")
    return reason === "end" ? exitCodes.success : exitCodes.running
  }
}

export const chat = command(
  "chat",
  "Send a message to an agent, or converse on a terminal.",
  {
    message: Argument.String("message").pipe(
      Argument.optional,
      Argument.withDescription("The message, or - for standard input. Without it: a conversation")
    ),
    agent: optionalText("agent", "The agent of a new session"),
    session: optionalText("session", "A session to continue"),
    model: optionalText("model", "The model of a new session"),
    localTools: Flag.Boolean("local-tools").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Offer files and commands of this computer; you confirm each call")
    ),
    directory: optionalText("directory", "The folder of local tools. Default: the current one")
  },
  async (cli, { agent, directory, localTools, message, model, session }) => {
    const client = cli.person()
    const isConversation = Option.isNone(message)
    if (isConversation && !cli.out.isInteractive) throw usageError("Without a terminal, give a message.")
    if (localTools && !cli.out.isInteractive) {
      throw usageError("Local tools need a terminal, where you confirm each call.")
    }
    const folder = localTools ? openFolder(Option.getOrElse(directory, () => ".")) : undefined
    const id = Option.isSome(session)
      ? session.value
      : (await client.chat.create(given({ agent_id: agent, model }))).id
    cli.out.note(`Session ${id}`)
    if (!isConversation) {
      return say(cli, id, message.value === "-" ? await readStandardInput() : message.value, folder)
    }
    for (;;) {
      const text = await ask("> ")
      if (text === undefined) return exitCodes.success
      if (text !== "") await say(cli, id, text, folder)
    }
  }
)
