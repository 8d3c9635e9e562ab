/**
 * Models that need no network: they repeat their input, or play a script. Spec: reference/models.md "Offline
 * models".
 */
import { noTokens } from "@countersign/domain/token-price"
import { Effect } from "effect"
import { AnswerBuilder, type ModelCall, type ModelEvent } from "../model-answer.ts"
import { estimatedTokens, inputTokensMax, type Prompt, type PromptMessage } from "../model-prompt.ts"
import type { StreamOutcome } from "./stream.ts"

const waitMillisMax = 60_000
const charsMax = 200_000
/** Characters of a delta. */
const deltaLength = 24

export const isOffline = (model: string): boolean => model.startsWith("offline/")

const textOf = (message: PromptMessage | undefined): string =>
  message?.role === "user" ? message.parts.map((part) => part.type === "text" ? part.text : "").join("\n").trim() : ""

/** The name of a tool as the call's list has it. */
const toolName = ({ tools = [] }: Prompt, ...names: ReadonlyArray<string>): string =>
  names.find((name) => tools.some((tool) => tool.name === name)) ?? names[0] ?? ""

const hubToolName = (operation: string): string => {
  const at = operation.indexOf(".")
  return `${operation.slice(0, at)}__${operation.slice(at + 1)}`.replace(/[^A-Za-z0-9_-]/gu, "_")
}

/** The lines of the section that this call plays: one section for each answer of the turn. */
const sectionOf = ({ messages }: Prompt): ReadonlyArray<string> => {
  const last = messages.findLastIndex(({ role }) => role === "user")
  const script = textOf(messages[last])
  if (!/^#script(?:\s|$)/u.test(script)) return [`say You said: ${script.replaceAll("\n", " ")}`]
  const answers = messages.slice(last).filter(({ role }) => role === "assistant").length
  const sections = script.split("\n").slice(1).join("\n").split(/^---[ \t]*$/mu)
  return (sections[answers] ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "")
}

/** Parts of a text that end between characters. */
const deltasOf = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  return Array.from(
    { length: Math.ceil(characters.length / deltaLength) },
    (_, at) => characters.slice(at * deltaLength, (at + 1) * deltaLength).join("")
  )
}

const failedWith = (status: number): StreamOutcome => ({
  kind: "refused",
  detail: `The script fails with ${status}.`,
  status
})

const paused = (millis: number, stopped: AbortSignal | undefined): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const end = () => {
      clearTimeout(timer)
      stopped?.removeEventListener("abort", end)
      resume(Effect.void)
    }
    const timer = setTimeout(end, Math.min(millis, waitMillisMax))
    stopped?.addEventListener("abort", end)
    if (stopped?.aborted === true) end()
    return Effect.sync(() => clearTimeout(timer))
  })

/** Plays one section. */
export const offlineAnswer = ({ emit, prompt, stopped }: ModelCall, id: string): Effect.Effect<StreamOutcome> =>
  Effect.gen(function*() {
    const builder = new AnswerBuilder()
    const send = (event: ModelEvent) => {
      builder.add(event)
      emit(event)
    }
    let calls = 0
    let left = prompt.max_tokens * 4
    let counts: { readonly input: number; readonly output: number; readonly cached: number } | undefined
    const write = (type: "text" | "thinking", text: string) => {
      for (const delta of deltasOf(text.slice(0, left))) send({ type, delta })
      left -= Math.min(text.length, left)
    }
    const call = (name: string, text: string) => {
      const index = calls++
      send({ type: "call", index, id: `call_${id}_${index}`, name })
      for (const delta of deltasOf(text)) send({ type: "arguments", index, delta })
    }
    send({ type: "started", id })
    for (const line of sectionOf(prompt)) {
      if (stopped?.aborted === true || left === 0) break
      const [, verb = "", rest = ""] = /^(\S+)\s*(.*)$/su.exec(line) ?? []
      const [first = "", ...words] = rest.split(/\s+/u)
      switch (verb) {
        case "say":
          write("text", builder.answer.text === "" ? rest : `\n${rest}`)
          break
        case "chars":
          write("text", "x".repeat(Math.min(Number(first) || 0, charsMax)))
          break
        case "think":
          write("thinking", rest)
          break
        case "call":
          call(toolName(prompt, hubToolName(first), first), rest.slice(first.length).trim() || "{}")
          break
        case "local":
          call(toolName(prompt, `local__${first}`, first), rest.slice(first.length).trim() || "{}")
          break
        case "bad":
          call(
            first === "" ? prompt.tools?.[0]?.name ?? "unknown" : toolName(prompt, hubToolName(first), first),
            "{\"broken\":"
          )
          break
        case "wait":
          yield* paused(Number(first) || 0, stopped)
          break
        case "usage":
          counts = { input: Number(first) || 0, output: Number(words[0]) || 0, cached: Number(words[1]) || 0 }
          break
        case "fail":
          return failedWith(Number(first) || 500)
        case "cut":
          return builder.hasContent
            ? { kind: "cut", answer: builder.answer, detail: "The script cuts the answer." }
            : { kind: "unknown", detail: "the script cuts the answer before it begins." }
        default:
          write("text", `Unknown directive of a script: ${verb}. `)
      }
    }
    const written = builder.answer
    send({
      type: "usage",
      counts: counts ?? {
        ...noTokens,
        input: Math.min(inputTokensMax(prompt), estimatedTokens(JSON.stringify(prompt.messages))),
        output: Math.min(
          prompt.max_tokens,
          estimatedTokens(
            `${written.thinking}${written.text}${JSON.stringify(written.calls.map((each) => each.arguments))}`
          )
        )
      }
    })
    if (stopped?.aborted === true) {
      return builder.hasContent
        ? { kind: "cut", answer: builder.answer, detail: "The call was stopped." }
        : { kind: "unknown", detail: "the call was stopped." }
    }
    send({ type: "finish", reason: left === 0 ? "length" : calls > 0 ? "tool_calls" : "stop" })
    return { kind: "whole", answer: builder.answer }
  })
