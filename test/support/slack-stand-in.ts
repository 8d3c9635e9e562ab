/**
 * The fake Slack of the tests as a program, to try notice channels without a workspace in Slack:
 * `node_modules/.bin/node test/support/slack-stand-in.ts [address of the hub]`. It prints each message, and takes
 * `/countersign link CODE` and the label of a button, such as `approve` or `reject`, from its input.
 */
import { Effect } from "effect"
import { createInterface } from "node:readline"
import { type FakeMessage, slackFake } from "./messengers.ts"

const hub = { url: process.argv[2] ?? "http://127.0.0.1:4780" }
const person = { team: "T1", id: "U1", name: "you" }
const print = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const program = Effect.gen(function*() {
  const slack = yield* slackFake
  const settings = { ...slack.env, HUB_EGRESS_ALLOW: "127.0.0.1" }
  yield* print(`Start the hub with:\n${Object.entries(settings).map((pair) => pair.join("=")).join(" ")} npm start\n`)

  const shown = new Map<string, number>()
  const textsOf = ({ versions }: FakeMessage): string =>
    JSON.stringify(versions.at(-1).blocks ?? versions.at(-1).text).match(/(?<="text":")(?:[^"\\]|\\.)*/g)?.join(
      " | "
    ) ??
      String(versions.at(-1).text)
  let replies = 0
  const show = Effect.gen(function*() {
    for (const message of slack.messages()) {
      if (shown.get(message.id) === message.versions.length) continue
      shown.set(message.id, message.versions.length)
      yield* print(`#${message.place}: ${textsOf(message)}`)
    }
    for (const reply of slack.state.replies.slice(replies)) yield* print(`only you: ${reply}`)
    replies = slack.state.replies.length
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(show, Effect.sleep("200 millis"))))

  const act = (line: string) => {
    if (line.startsWith("/countersign ")) {
      return Effect.flatMap(
        slack.command(hub, person, line.slice("/countersign ".length)),
        ({ body, text }) => print(`only you: ${body?.text ?? text}`)
      )
    }
    const message = slack.messages().findLast((each) =>
      slack.labelsOf(each).some((label) => label.toLowerCase().startsWith(line.toLowerCase()))
    )
    if (message === undefined) return print("No message has such a button.")
    const label = slack.labelsOf(message).find((each) => each.toLowerCase().startsWith(line.toLowerCase())) ?? ""
    const forms = slack.state.forms.length
    return Effect.flatMap(slack.press(hub, person, message, label), () =>
      slack.state.forms.length === forms
        ? Effect.void
        : Effect.asVoid(slack.submit(hub, person, slack.state.forms[forms], "By the stand-in")))
  }
  const lines = createInterface({ input: process.stdin })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  lines.on("line", (line) => {
    if (line.trim() !== "") void run(Effect.catchCause(act(line.trim()), (cause) => print(String(cause))))
  })
  yield* Effect.callback<void>((resume) => void lines.once("close", () => resume(Effect.void)))
})

await Effect.runPromise(Effect.scoped(program))
