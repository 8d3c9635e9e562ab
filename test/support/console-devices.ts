/**
 * Devices of a workspace in the console's tests: the real device agent in a separate process, with a folder for each
 * device.
 */
import { writeIdentity, writePrivate } from "@countersign/desktop/device/state"
import { Effect, Exit, Scope } from "effect"
import { type ConsoleHub, type PersonApi, test as base } from "./console.ts"
import { type AgentProgram, program, unpaired } from "./device-agent.ts"
import { offer } from "./device.ts"

export { expect } from "./console.ts"

export interface Registered {
  readonly id: string
  readonly key: string
}

export interface Grants {
  readonly name?: string
  readonly granted?: ReadonlyArray<string>
  readonly agents?: "*" | ReadonlyArray<string>
  readonly labels?: ReadonlyArray<string>
  readonly capabilities?: ReadonlyArray<string>
}

export interface Machine extends Registered {
  /** The device's only root. */
  readonly root: string
  readonly rules: (rules: ReadonlyArray<object>, more?: object) => void
  /** Creates an executable file below the root and returns its path. */
  readonly script: (name: string, text: string) => string
  /** The connected agent. */
  readonly agent: AgentProgram
  readonly session: string
}

export interface AskedPairing {
  /** The code as the agent prints it. */
  readonly code: string
  readonly agent: AgentProgram
  /** Starts the agent after the pairing was confirmed. */
  readonly run: () => AgentProgram
  readonly rules: Machine["rules"]
  readonly script: Machine["script"]
  readonly root: string
}

/** Registers a device in the hub only; no agent runs. */
export const register = async (
  api: PersonApi,
  { capabilities = offer.capabilities, granted = capabilities, name = "build-1", ...more }: Grants = {}
): Promise<Registered> => {
  const made = await api.call("POST", "/devices", 201, { ...offer, name, capabilities })
  if (granted.length > 0) await api.call("PATCH", `/devices/${made.id}`, 200, { granted, ...more })
  else if (Object.keys(more).length > 0) await api.call("PATCH", `/devices/${made.id}`, 200, more)
  return { id: made.id, key: made.device_key }
}

/** Sends a heartbeat over HTTP without an agent, for states that an agent reaches only with time. */
export const heartbeat = async (
  hub: Pick<ConsoleHub, "api">,
  { id, key }: Registered,
  said: Readonly<Record<string, unknown>> = {}
): Promise<string> => {
  const answer = await hub.api("POST", `/devices/${id}/heartbeat`, {
    key,
    body: { status: "online", roots: ["/srv/work"], ...said }
  })
  if (answer.status !== 200) throw new Error(`the heartbeat was answered ${answer.status}: ${answer.text}`)
  return answer.body.session_id
}

interface Fixtures {
  /** A registered device with grants and a connected agent. */
  readonly machine: (options?: Grants) => Promise<Machine>
  /** A device whose agent has requested pairing. */
  readonly asking: (name?: string) => Promise<AskedPairing>
}

const printedIn = async (agent: AgentProgram, pattern: RegExp): Promise<RegExpExecArray> => {
  for (;;) {
    const found = pattern.exec(agent.printed())
    if (found !== null) return found
    if (agent.child.exitCode !== null) throw new Error(`the agent ended before ${pattern}: ${agent.printed()}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 30)
    })
  }
}

const place = async (scope: Scope.Scope) => Effect.runPromise(Scope.provide(unpaired, scope))
const begin = (scope: Scope.Scope, args: ReadonlyArray<string>) =>
  Effect.runPromise(Scope.provide(program(args), scope))

export const test = base.extend<Fixtures & { readonly agents: Scope.Scope }>({
  agents: async ({ browserName: _ }, use) => {
    const scope = await Effect.runPromise(Scope.make())
    try {
      await use(scope)
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  },
  machine: async ({ agents, api, hub }, use) =>
    use(async (options = {}) => {
      const { folder, root, rules, script } = await place(agents)
      const registered = await register(api, options)
      const { id, key } = registered
      writePrivate(folder.file("device.key"), `${key}\n`)
      writeIdentity(folder, {
        hub: hub.url,
        device_id: id as never,
        name: options.name ?? "build-1",
        instance_id: `instance-${id}`,
        roots: [root],
        paired_at: new Date().toISOString()
      })
      rules([])
      const agent = await begin(agents, ["run", "--data-dir", folder.path])
      const [, session = ""] = await printedIn(agent, /"event":"connected"[^\n]*"session_id":"(dss_\w+)"/u)
      return { ...registered, root, rules, script, agent, session }
    }),
  asking: async ({ agents, hub }, use) =>
    use(async (name = "build-1") => {
      const { folder, root, rules, script } = await place(agents)
      const at = ["--data-dir", folder.path]
      const agent = await begin(agents, ["pair", "--hub", hub.url, "--name", name, "--root", root, ...at])
      const [, code = ""] = await printedIn(agent, /^Code: (\S+)$/mu)
      return {
        code,
        agent,
        rules,
        script,
        root,
        run: () => Effect.runSync(Scope.provide(program(["run", ...at]), agents))
      }
    })
})
