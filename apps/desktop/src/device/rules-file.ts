/**
 * Reads the owner's rules for every command, so a change applies from the next one. Spec: reference/devices.md "D5:
 * local rules", "D12: rules after consent".
 */
import { type DeviceRules, noRules, parseRules } from "@countersign/domain/device-rules"
import { realpathSync } from "node:fs"
import { Exit } from "./exits.ts"
import { files, readPrivate, type StateFolder } from "./state.ts"

export type RulesRead = { readonly rules: DeviceRules } | { readonly problem: string }

const resolved = (root: string): string => {
  try {
    return realpathSync(root)
  } catch {
    return root
  }
}

/** Without a file everything requires approval. Links in `roots` are resolved, as in the paths of commands. */
export const readRules = (folder: StateFolder): RulesRead => {
  try {
    const text = readPrivate(folder.file(files.rules))
    if (text === undefined) return { rules: noRules }
    const parsed = parseRules(text)
    if ("problem" in parsed) return { problem: `${folder.file(files.rules)}: ${parsed.problem}` }
    const { rules } = parsed
    return {
      rules: {
        ...rules,
        rules: rules.rules.map((rule) => rule.root === undefined ? rule : { ...rule, root: resolved(rule.root) })
      }
    }
  } catch (error) {
    if (error instanceof Exit) return { problem: error.message }
    throw error
  }
}
