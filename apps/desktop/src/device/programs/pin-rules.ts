/**
 * The present digests of files in roots that allow rules run. A changed file requires approval until its rule is pinned
 * again. Spec: reference/devices.md "D7: allow rules", "D9: plan binding".
 */
import { filesMax } from "@countersign/domain/device-plan"
import type { DeviceRule, DeviceRules } from "@countersign/domain/device-rules"
import { Refusal } from "../results/refusal.ts"
import { commandFiles } from "./command-files.ts"
import { findProgram } from "./programs.ts"

type Pins = NonNullable<DeviceRule["pins"]>

/** In `directory`. None when the program does not exist. */
const pinsIn = (directory: string, { argv = [], project_code }: DeviceRule, roots: ReadonlyArray<string>): Pins => {
  try {
    const program = findProgram(argv[0] ?? "", directory)
    const { files } = commandFiles({ program, argv, directory, roots, isClosed: () => false, isPinned: () => false })
    return files.filter(({ inRoot, isArgument }) => inRoot && !(isArgument && project_code === true)).map((
      { path, sha256 }
    ) => ({ path, sha256 }))
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

/** Resolves relative paths against the rule's root, or against each root. */
const pinsOf = (rule: DeviceRule, roots: ReadonlyArray<string>): Pins =>
  rule.effect === "allow" && rule.tool === "shell.run"
    ? [
      ...new Map(
        (rule.root === undefined ? roots : [rule.root]).flatMap((directory) => pinsIn(directory, rule, roots)).map((
          pin
        ) => [pin.path, pin])
      ).values()
    ]
    : []

/** `pick` selects the rules to pin; their earlier pins are replaced. */
export const pinRules = (
  rules: DeviceRules,
  roots: ReadonlyArray<string>,
  pick: (rule: DeviceRule) => boolean = () => true
): DeviceRules => ({
  ...rules,
  rules: rules.rules.map((rule) => {
    const pins = pick(rule) ? pinsOf(rule, roots) : []
    const kept = (rule.pins ?? []).filter(({ path }) => !pins.some((pin) => pin.path === path))
    return pins.length === 0 ? rule : { ...rule, pins: [...kept, ...pins].slice(-filesMax) }
  })
})
