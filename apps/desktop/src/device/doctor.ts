/** `doctor`: finds problems that would keep this device from working. Changes nothing. */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import { noRules } from "@countersign/domain/device-rules"
import { existsSync, realpathSync, statSync } from "node:fs"
import { exposureOf } from "./exposure.ts"
import { rootProblem } from "./files/root-checks.ts"
import { hubApi, whyUnreachable } from "./hub-api.ts"
import { readKeyPair } from "./key-pair.ts"
import { readRules } from "./rules-file.ts"
import { findCap } from "./sandbox/memory-cap.ts"
import { findSandbox } from "./sandbox/sandbox.ts"
import { files, readIdentity, readKey, type StateFolder } from "./state.ts"

export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

const attempt = (check: string, look: () => string): Finding => {
  try {
    return { check, ok: true, detail: look() }
  } catch (error) {
    return { check, ok: false, detail: (error as Error).message }
  }
}

const must = <A>(value: A | undefined, otherwise: string): A => {
  if (value === undefined) throw new Error(otherwise)
  return value
}

export const examine = async (folder: StateFolder): Promise<ReadonlyArray<Finding>> => {
  const pairing = attempt("pairing", () => {
    const { hub, name } = must(readIdentity(folder), "nothing is paired here: device pair --hub <address>")
    return `${name} with ${hub}`
  })
  const identity = pairing.ok ? readIdentity(folder) : undefined
  const read = readRules(folder)
  const findings = [
    pairing,
    attempt("key", () => must(readKey(folder), "there is no key: pair again").from),
    attempt("fingerprint", () => readKeyPair(folder)?.fingerprint ?? "none: it was paired without its own key"),
    "problem" in read
      ? { check: "rules", ok: false, detail: read.problem }
      : {
        check: "rules",
        ok: true,
        detail: `${read.rules.rules.length} rules; other commands require approval, and ${
          read.rules.ask_via ?? "none"
        } answers`
      },
    ...(identity?.roots ?? []).map((root) =>
      attempt("root", () => {
        if (!existsSync(root) || !statSync(root).isDirectory()) throw new Error(`${root} is no directory`)
        if (realpathSync(root) !== root) throw new Error(`${root} is a link now: pair again, or give it with --root`)
        const problem = rootProblem(root)
        if (problem !== undefined) throw new Error(problem)
        return root
      })
    ),
    attempt("sandbox", () => {
      const wanted = settledRules("rules" in read ? read.rules : noRules).sandbox
      const found = wanted === "off" ? undefined : findSandbox()
      if (found === undefined && wanted === "required") {
        throw new Error("the rules want a sandbox, and there is none that works (bubblewrap)")
      }
      return found?.path ??
        (wanted === "off"
          ? "switched off by the rules"
          : "none works here (bubblewrap): each command requires approval, and runs with all rights of this user")
    }),
    attempt("open to commands", () => exposureOf("rules" in read ? read.rules : noRules, identity?.roots ?? [])),
    attempt("memory cap", () => {
      const wanted = "rules" in read ? read.rules.memory_mb_max : undefined
      if (wanted === undefined) return "none: the rules name no memory_mb_max"
      return `${wanted} MiB for each process, by ${
        must(
          findCap(),
          "the rules name memory_mb_max, and there is no way to keep it here (Linux with prlimit): programs run without"
        )
      }`
    }),
    attempt("other copies", () => {
      if (existsSync(folder.file(files.superseded))) {
        throw new Error("another copy of this device took over: run --take-over, or pair again")
      }
      return "none known"
    })
  ]
  return identity === undefined ? findings : [...findings, await reach(identity.hub)]
}

const reach = async (hub: string): Promise<Finding> => {
  try {
    const { status } = await hubApi(hub).call("GET", "/health")
    return { check: "hub", ok: status === 200, detail: status === 200 ? `${hub} answers` : `${hub} answered ${status}` }
  } catch (error) {
    return { check: "hub", ok: false, detail: `${hub} cannot be reached: ${whyUnreachable(error)}` }
  }
}
