/**
 * A second machine on the network: a network namespace with a link to this one, in which `tls.example` is this one. It
 * requires root, and not every container allows it: `whyNoSecondMachine` returns the reason.
 */
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, connect } from "node:net"
import { createServer } from "node:tls"
import { certificate, key } from "./tls.ts"

const run = (...[program, ...args]: readonly [string, ...ReadonlyArray<string>]): string | undefined => {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  return error === undefined && status === 0
    ? undefined
    : `${program} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`
}
const must = (...command: readonly [string, ...ReadonlyArray<string>]): void => {
  const problem = run(...command)
  if (problem !== undefined) throw new Error(problem)
}

/** Undefined if a second machine is possible. */
export const whyNoSecondMachine = (): string | undefined => {
  const name = `cs-try-${process.pid}`
  const problem = run("ip", "netns", "add", name)
  if (problem !== undefined) return problem
  try {
    return run(
      "ip",
      "link",
      "add",
      `cst${process.pid}`,
      "type",
      "veth",
      "peer",
      "name",
      `csu${process.pid}`,
      "netns",
      name
    )
      ?? run("ip", "netns", "exec", name, "true")
  } finally {
    must("ip", "netns", "del", name)
  }
}

export interface SecondMachine {
  /** The hub's address on the second machine. */
  readonly hub: string
  /** The prefix of a command that runs there. */
  readonly enter: ReadonlyArray<string>
}

/** Puts TLS in front of a hub that listens on this machine's loopback. */
export const secondMachine = Effect.fnUntraced(function*(
  { url }: { readonly url: string }
): Effect.fn.Return<SecondMachine, never, Scope.Scope> {
  const name = `cs-${process.pid}`
  const [here, there] = ["10.213.77.1", "10.213.77.2"]
  const folder = `/etc/netns/${name}`
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/hosts`, `127.0.0.1 localhost\n${here} tls.example\n`)
      must("ip", "netns", "add", name)
      must("ip", "link", "add", `csa${process.pid}`, "type", "veth", "peer", "name", `csb${process.pid}`, "netns", name)
      must("ip", "addr", "add", `${here}/24`, "dev", `csa${process.pid}`)
      must("ip", "link", "set", `csa${process.pid}`, "up")
      for (
        const step of [["addr", "add", `${there}/24`, "dev", `csb${process.pid}`], [
          "link",
          "set",
          `csb${process.pid}`,
          "up"
        ], ["link", "set", "lo", "up"]]
      ) {
        must("ip", "-n", name, ...step)
      }
    }),
    () =>
      Effect.sync(() => {
        run("ip", "netns", "del", name)
        rmSync(folder, { recursive: true, force: true })
      })
  )
  const { hostname, port } = new URL(url)
  const tlsServer = yield* Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<ReturnType<typeof createServer>>((resolve) => {
        const server = createServer({ key, cert: certificate }, (outside) => {
          const inside = connect(Number(port), hostname)
          outside.on("error", () => inside.destroy())
          inside.on("error", () => outside.destroy())
          outside.pipe(inside).pipe(outside)
        })
        server.listen(0, here, () => resolve(server))
      })
    ),
    (server) => Effect.sync(() => void server.close())
  )
  return {
    hub: `https://tls.example:${(tlsServer.address() as AddressInfo).port}`,
    enter: ["ip", "netns", "exec", name]
  }
})
