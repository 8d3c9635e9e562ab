/** Workflows for tests: a version, its publication, and its grant. */
import { Effect } from "effect"
import { type AgentInTest, type Answer, type Api, expectStatus, type OwnerInTest } from "./hub.ts"

type Person = Pick<OwnerInTest, "cookie">

export interface Definition {
  readonly steps: ReadonlyArray<object>
  readonly edges?: ReadonlyArray<object>
  readonly input_schema?: object
  readonly output?: unknown
}

/** A workflow with one version, which is live, granted to these agents. Returns its id. */
export const makeWorkflow = Effect.fnUntraced(function*(
  { api }: { readonly api: Api },
  { cookie }: Person,
  { edges = [], ...definition }: Definition,
  agents: ReadonlyArray<Pick<AgentInTest, "id">>,
  more: object = {}
) {
  const workflow = expectStatus(
    yield* api("POST", "/workflows", { cookie, body: { name: "Test", visibility: "org", ...more } }),
    201
  ).body.id as string
  const version = expectStatus(
    yield* api("POST", `/workflows/${workflow}/versions`, { cookie, body: { ...definition, edges } }),
    201
  ).body.id as string
  const request = expectStatus(
    yield* api("POST", `/workflows/${workflow}/versions/${version}/publish`, { cookie, body: {} }),
    201
  ).body.id as string
  expectStatus(
    yield* api("PATCH", `/publish-requests/${request}`, { cookie, body: { status: "approved" } }),
    200
  )
  for (const { id } of agents) {
    expectStatus(yield* api("POST", `/workflows/${workflow}/agents`, { cookie, body: { agent_id: id } }), 201)
  }
  return workflow
})

/** Starts a run as a person and waits for its end. */
export const runOf = ({ api }: { readonly api: Api }, { cookie }: Person, workflow: string, body: object = {}) =>
  Effect.map(
    api("POST", `/workflows/${workflow}/runs`, { cookie, body: { wait_seconds: 30, ...body } }),
    (answer) => expectStatus(answer, 202).body.run
  )

export const getRun = ({ api }: { readonly api: Api }, { cookie }: Person, run: string) =>
  Effect.map(api("GET", `/workflow-runs/${run}`, { cookie }), (answer) => expectStatus(answer, 200).body)

// eslint-disable-next-line typescript/no-explicit-any
export const stepOf = (run: any, label: string): any =>
  // eslint-disable-next-line typescript/no-explicit-any
  run.steps.find((step: any) => step.label === label)

export type { Answer }

export const say = (label: string, payload: unknown = { text: "hi" }, more: object = {}) => ({
  label,
  type: "service_call",
  config: { service: "echo", operation: "say", payload },
  ...more
})
