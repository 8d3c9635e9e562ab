/** `pin`: writes the present digests of allowed programs in roots to the rules file, and lists them. */
import { noRules } from "@countersign/domain/device-rules"
import { misconfigured } from "./exits.ts"
import { pinRules } from "./programs/pin-rules.ts"
import { readRules } from "./rules-file.ts"
import { files, readIdentity, type StateFolder, writePrivate } from "./state.ts"

export const pinFile = (folder: StateFolder): ReadonlyArray<string> => {
  const identity = readIdentity(folder)
  if (identity === undefined) throw misconfigured(`Nothing is paired in ${folder.path}`)
  const read = readRules(folder)
  if ("problem" in read) throw misconfigured(read.problem)
  const before = read.rules ?? noRules
  const after = pinRules(before, identity.roots)
  writePrivate(folder.file(files.rules), `${JSON.stringify(after, null, 2)}\n`)
  const pins = after.rules.flatMap((rule, at) =>
    (rule.pins ?? []).map((pin) => {
      const known = before.rules[at]?.pins?.find(({ path }) => path === pin.path)
      return `${
        known === undefined ? "new      " : known.sha256 === pin.sha256 ? "unchanged" : "changed  "
      } ${pin.sha256} ${pin.path}`
    })
  )
  return pins.length === 0 ? ["No rule allows a program in a root."] : pins
}
