/** The words of notices: names, amounts, and times; never a payload. Pure. */
import type { AgentRequestKind } from "@countersign/domain/agent-requests"
import type { StoredApproval } from "../approvals/approval-rows.ts"
import { plainLine } from "../mail/plain-line.ts"
import type { ScreenKind } from "./links.ts"
import type { Digest } from "./rules.ts"

export interface Words {
  /** One line: `Scout → voice.call`. */
  readonly title: string
  readonly details: ReadonlyArray<string>
  /** The verb of its link. */
  readonly action: string
  readonly screen: ScreenKind
  readonly id: string
}

const format = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" })
export const dollars = (cents: number): string => format.format(cents / 100)

/** `Nov 28, 10:14 PM GMT+1`. */
export const momentIn = (zone: string | null, at: Date): string =>
  new Intl.DateTimeFormat("en-US", {
    timeZone: zone ?? "UTC",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short"
  }).format(at)

const test = (mode: string): ReadonlyArray<string> => mode === "test" ? ["test mode"] : []

export const wordsOfApproval = (approval: StoredApproval): Words => {
  const { cost_cents, id, mode, operation, service } = approval
  const who = approval.kind === "device_command" ? approval.agent?.name ?? approval.requester.name : approval.agent.name
  return {
    title: `${plainLine(who, 60)} → ${
      approval.kind === "workflow_step" ? "workflow step" : plainLine(`${service}.${operation}`, 80)
    }`,
    details: [
      ...approval.kind === "device_command"
        ? [`on ${plainLine(approval.device.name, 60)}`]
        : [dollars(cost_cents)],
      ...test(mode)
    ],
    action: "Review",
    screen: "approval",
    id
  }
}

const requestKinds = {
  question: "question",
  approval: "request for approval",
  input: "request for input",
  handoff: "handoff"
} as const

export const wordsOfAgentRequest = (id: string, kind: AgentRequestKind, agent: string): Words => ({
  title: `${plainLine(agent, 60)}: ${requestKinds[kind]}`,
  details: [],
  action: "Answer",
  screen: "agent_request",
  id
})

type Facts = Readonly<Record<string, unknown>>

const limitWords: Readonly<Record<string, string>> = {
  agent_month: "monthly budget",
  operation_month: "monthly cap",
  operation_day_count: "daily limit"
}

export const wordsOfAlert = (agent: string, name: string, facts: Facts): Words => {
  const { cap_cents, cap_count, level, limit, operation, service, used_cents, used_count } = facts
  const of = typeof service === "string" && typeof operation === "string" ? ` for ${service}.${operation}` : ""
  const used = typeof used_cents === "number" && typeof cap_cents === "number"
    ? `${dollars(used_cents)} of ${dollars(cap_cents)}`
    : typeof used_count === "number" && typeof cap_count === "number"
    ? `${used_count} of ${cap_count} requests`
    : undefined
  return {
    title: `${plainLine(name, 60)} has used ${String(level)} % of its ${limitWords[String(limit)] ?? "limit"}${
      plainLine(of, 100)
    }`,
    details: used === undefined ? [] : [`${used} used`],
    action: "Open the agent",
    screen: "agent",
    id: agent
  }
}

export const wordsOfRun = (id: string, workflow: string, mode: string, { code }: Facts): Words => ({
  title: `The workflow ${plainLine(workflow, 80)} failed`,
  details: [...typeof code === "string" ? [plainLine(code, 60)] : [], ...test(mode)],
  action: "Open the run",
  screen: "run",
  id
})

export const wordsOfApp = (id: string, name: string, provider: string): Words => ({
  title: `${plainLine(name, 80)} needs to be reconnected`,
  details: [`${plainLine(provider, 40)} no longer accepts the sign-in`],
  action: "Reconnect",
  screen: "app",
  id
})

export const wordsOfEndpoint = (id: string, { url }: Facts): Words => ({
  title: "A webhook endpoint was disabled",
  // A path may hold a secret.
  details: [
    ...typeof url === "string" && URL.canParse(url) ? [plainLine(new URL(url).host, 80)] : [],
    "its deliveries failed"
  ],
  action: "Open the endpoints",
  screen: "webhook_endpoint",
  id
})

/** The subject of a mail about some notices. */
export const subjectOf = (digest: Digest, words: ReadonlyArray<Words>, workspace: string): string => {
  const [first] = words
  const place = plainLine(workspace, 60)
  if (words.length === 1 && first !== undefined) {
    return digest === "inbox"
      ? `Pending in ${place}: ${[first.title, ...first.details].join(", ")}`
      : `${place}: ${first.title}`
  }
  return digest === "inbox"
    ? `${words.length} approvals and requests are pending in ${place}`
    : `${words.length} notices from ${place}`
}

export const leadOf = (digest: Digest, count: number, workspace: string): string => {
  const place = plainLine(workspace, 60)
  if (digest === "alerts") return `From the workspace ${place}:`
  return count === 1
    ? `This is pending in the workspace ${place}, and you can decide it:`
    : `These are pending in the workspace ${place}, and you can decide them:`
}
