/**
 * The digests of the files that allow rules name as programs, as the owner finds them now. A changed file is asked about again until its rule
 * is pinned anew. Spec: D7, D9.
 */
import type { DeviceRule, DeviceRules } from "@countersign/domain/device-rules"
import { createHash } from "node:crypto"
import { readFileSync, realpathSync } from "node:fs"
import { isAbsolute } from "node:path"
import { isWithin } from "./paths.ts"

/** The pin of a program in a root; none for programs that commands cannot change. */
const pinOf = ({ argv, effect, tool }: DeviceRule, roots: ReadonlyArray<string>): { readonly path: string; readonly sha256: string } | undefined => {
  const [program = ""] = argv ?? []
  if (effect !== "allow" || tool !== "shell.run" || !isAbsolute(program)) return undefined
  try {
    const path = realpathSync(program)
    return roots.some((root) => isWithin(root, path)) ? { path, sha256: createHash("sha256").update(readFileSync(path)).digest("hex") } : undefined
  } catch {
    // Not there, or no file: there is nothing to pin, and nothing that runs.
    return undefined
  }
}

/** `pick`: which rules are pinned; they lose the pins that they have. */
export const pinRules = (rules: DeviceRules, roots: ReadonlyArray<string>, pick: (rule: DeviceRule) => boolean = () => true): DeviceRules => ({
  ...rules,
  rules: rules.rules.map((rule) => {
    const pin = pick(rule) ? pinOf(rule, roots) : undefined
    return pin === undefined ? rule : { ...rule, pins: [...(rule.pins ?? []).filter(({ path }) => path !== pin.path), pin] }
  })
})
