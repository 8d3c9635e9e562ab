/** Describes in one line what commands on this device can reach, for `doctor`. */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import type { DeviceRules } from "@countersign/domain/device-rules"
import { currentUser, homeFolders } from "./files/homes.ts"
import { isWithin } from "./files/paths.ts"
import { pinRules } from "./programs/pin-rules.ts"
import { findSandbox } from "./sandbox/program.ts"

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const ofHome = (roots: ReadonlyArray<string>, { sandbox_readable: readable = [] }: DeviceRules): string => {
  const whole = homeFolders(currentUser()).filter((home) => roots.some((root) => isWithin(root, home)))
  const more = readable.length === 0 ? "" : `, ${readable.join(", ")} readable`
  return (whole.length === 0
    ? "home directories hidden"
    : `home directory ${whole.join(", ")} OPEN, as it is in a root, with known secrets masked`) + more
}

const ofNetwork = (rules: DeviceRules): string => {
  const of =
    { people: "network for people only", on: "network ON for all", off: "no network" }[settledRules(rules).network]
  const on = rules.rules.filter(({ network }) => network === "on").length
  return on === 0 ? of : `${of}, and ON by ${counted(on, "rule")}`
}

const ofRules = (rules: DeviceRules, roots: ReadonlyArray<string>): ReadonlyArray<string> => {
  const now = pinRules(rules, roots)
  const inRoots = rules.rules.filter((_, at) =>
    now.rules[at]?.pins?.some(({ path }) => roots.some((root) => isWithin(root, path))) === true
  )
  const changed = rules.rules.filter((rule, at) =>
    now.rules[at]?.pins?.some(({ path, sha256 }) =>
      !rule.pins?.some((pin) => pin.path === path && pin.sha256 === sha256)
    ) === true
  )
  const project = rules.rules.filter(({ project_code }) => project_code === true).length
  return [
    inRoots.length === 0
      ? "no rule allows a program in a root"
      : `${counted(inRoots.length, "rule allows programs", "rules allow programs")} in a root${
        changed.length === 0
          ? ", all pinned"
          : `, ${changed.length} without a valid pin (approval required until device pin)`
      }`,
    ...(project === 0 ? [] : [`${counted(project, "rule runs", "rules run")} project code`])
  ]
}

export const exposureOf = (rules: DeviceRules, roots: ReadonlyArray<string>): string => {
  const wanted = settledRules(rules).sandbox
  const sandbox = wanted === "off" ? undefined : findSandbox()
  const isolation = sandbox !== undefined
    ? [
      `no capabilities${sandbox.missing === undefined ? "" : `, ${sandbox.missing}`}`,
      ofHome(roots, rules),
      ofNetwork(rules)
    ]
    : wanted === "required"
    ? ["nothing: no command runs without a sandbox"]
    : [
      `EVERYTHING that this user can reach: no sandbox${
        wanted === "off" ? "" : ", and approval required for each command"
      }`
    ]
  return [...isolation, `${counted(roots.length, "root")} writable`, ...ofRules(rules, roots)].join("; ")
}
