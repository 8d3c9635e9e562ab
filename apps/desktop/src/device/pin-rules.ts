/**
 * The digests of the files in roots that allow rules run, as the owner finds them now. A changed file requires approval until its rule is
 * pinned again. Spec: D7, D9.
 */
import { filesMax } from "@countersign/domain/device-plan"
import type { DeviceRule, DeviceRules } from "@countersign/domain/device-rules"
import { commandFiles } from "./command-files.ts"
import { findProgram } from "./programs.ts"
import { Refusal } from "./refusal.ts"

type Pins = NonNullable<DeviceRule["pins"]>

/** In `directory`. None when the program is not there. */
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

/** Relative paths are those of the rule's root, or of each root. */
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

/** `pick`: which rules are pinned; they lose the pins that they have. */
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
