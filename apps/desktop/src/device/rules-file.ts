/** The owner's rules, read anew for every command: what was changed counts from the next one on. Spec: D5, D12. */
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

/** Without a file everything is asked. Its roots come with links resolved, as deeds do. */
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
