/** The hub calls of the agent's tests: queueing, reading, and waiting for commands. */
import { Effect } from "effect"
import { until } from "../../support/device-agent.ts"
import { expectStatus, type HubInTest, type OwnerInTest } from "../../support/hub.ts"

export const allow = (...argv: ReadonlyArray<string>) => ({ effect: "allow", tool: "shell.run", argv })

// oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
type Wire = any

export const operatorOf = ({ api }: Pick<HubInTest, "api">, { cookie }: Pick<OwnerInTest, "cookie">) => {
  const as = { cookie }
  const queue = (session: string, argv: ReadonlyArray<string>, more: object = {}) =>
    Effect.map(
      api("POST", `/devices/sessions/${session}/commands`, {
        ...as,
        body: { tool: "shell.run", input: { argv }, ...more }
      }),
      (answer) => expectStatus(answer, 201).body.id as string
    )
  const read = (id: string): Effect.Effect<Wire> =>
    Effect.map(api("GET", `/devices/commands/${id}`, as), ({ body }) => body)
  const end = (id: string) =>
    until(read(id), ({ status }) => status === "done" || status === "cancelled" || status === "expired")
  const running = (id: string) => until(read(id), ({ status }) => status === "running")
  const output = (id: string): Effect.Effect<ReadonlyArray<Wire>> =>
    Effect.map(api("GET", `/devices/commands/${id}/output?limit=200`, as), ({ body }) => body.data)
  const text = (id: string, stream = "stdout") =>
    Effect.map(
      output(id),
      (chunks) => chunks.filter((chunk) => chunk.stream === stream).map(({ data }) => data).join("")
    )
  /** The session id of a connected device. */
  const online = (id: string): Effect.Effect<string> =>
    Effect.map(
      until(api("GET", `/devices/${id}`, as), ({ body }) => body.presence === "online" && body.session !== undefined),
      ({ body }) => body.session.id
    )
  return { queue, read, end, running, output, text, online }
}
