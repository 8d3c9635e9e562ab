/**
 * The complete text of a consent question: the requester, the exact command, its directory, and its limits. Nothing is
 * omitted or shortened; values of variables and text that looks like a token are masked, as the digest binds them
 * anyway. Spec: reference/devices.md "D9: plan binding", "D11: the owner's window".
 */
import { isJsonObject } from "@countersign/domain/json"
import type { AgentQuestion } from "../../device/app-port.ts"
import { makeMask } from "../../device/results/masker.ts"

const mask = makeMask([])

/** JSON quotes each word, so that words cannot run together. */
const word = (value: string): string => JSON.stringify(mask.text(value))

const inputLines = (input: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(input).flatMap(([name, value]) => {
    if (name === "argv" && Array.isArray(value)) {
      return [
        "Command:",
        ...value.map((each, at) => `  ${at}  ${word(String(each))}`)
      ]
    }
    if (name === "env" && isJsonObject(value)) return [`Sets variables: ${Object.keys(value).map(word).join(" ")}`]
    if (typeof value === "string") return [`${name}:`, ...mask.text(value).split("\n").map((line) => `  ${line}`)]
    return [`${name}: ${mask.text(JSON.stringify(value))}`]
  })

const whoOf = ({ agent, requested_by }: AgentQuestion): string =>
  agent === undefined || agent.name === requested_by.name
    ? requested_by.name
    : `${agent.name}, for ${requested_by.name},`

const sandboxLines = {
  none: ["Sandbox: none. It can do all that you can do on this computer."],
  bubblewrap: ["Sandbox: bubblewrap"]
} as const

const networkLines = { on: ["Network: on"], off: ["Network: off"] } as const

const filesTitles = {
  none: "Files (programs and scripts run from copies, others are compared right before the start):",
  bubblewrap: "Files (it uses read-only copies):"
} as const

const filesLines = (
  { files = [], files_omitted: omitted, sandbox = "none" }: AgentQuestion["plan"]
): ReadonlyArray<string> => [
  ...(files.length === 0 ? [] : [filesTitles[sandbox]]),
  ...files.map(({ bytes, path, sha256 }) => `  ${path} (${bytes} bytes, SHA-256 ${sha256})`),
  ...(omitted === undefined
    ? []
    : [`Other files that can still change: ${omitted} (too large, closed to commands, or over the limit of files)`])
]

export const consentLines = (question: AgentQuestion): ReadonlyArray<string> => {
  const { digest, plan, reason } = question
  return [
    `${whoOf(question)} wants to use ${plan.tool} on this computer.`,
    ...(reason === undefined ? [] : ["Reason given:", ...mask.text(reason).split("\n").map((line) => `  ${line}`)]),
    ...inputLines(plan.input),
    ...(plan.program === undefined
      ? []
      : plan.program.path === plan.program.real_path
      ? [`Program: ${plan.program.path}`]
      : [`Program: ${plan.program.path}`, `  is ${plan.program.real_path}`]),
    ...filesLines(plan),
    ...(plan.target === undefined ? [] : [`File: ${plan.target}`]),
    ...(plan.directory === undefined ? [] : [`Directory: ${plan.directory}`]),
    ...(plan.sandbox === undefined ? [] : sandboxLines[plan.sandbox]),
    ...(plan.network === undefined ? [] : networkLines[plan.network]),
    `At most ${plan.timeout_seconds} s.`,
    `Seal: ${digest.slice(0, 8)}`
    // A line break in a name or path is escaped, so that it cannot forge another line.
  ].map((line) => line.replaceAll("\n", "\\n").replaceAll("\r", "\\r"))
}
