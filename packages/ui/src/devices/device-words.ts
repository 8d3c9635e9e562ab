/** Facts of a device that several screens show. */
import type { Device } from "../hub/queries.ts"
import type { devicesText } from "../text/devices.ts"

/**
 * Maximum number of commands that a device runs at a time: `device-protocol.ts` of the contract; a test compares both.
 */
export const runningMax = 4

type Texts = typeof devicesText

export const toolsWords = (t: Texts, { capabilities, granted }: Pick<Device, "capabilities" | "granted">): string =>
  granted.length === 0
    ? t.noTools
    : granted.length <= 2
    ? granted.join(", ")
    : granted.length === capabilities.length
    ? t.allTools(granted.length)
    : t.someTools(granted.length, capabilities.length)

export const agentsWords = (t: Texts, agents: Device["agents"]): string =>
  agents === "*" ? t.agentsAll : agents.length === 0 ? t.agentsNone : t.agentsSome(agents.length)

const oneDigit = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 })

/** The load and the number of processors; undefined if the device reported neither. */
export const loadOf = (
  { load }: Pick<Device, "load">
): { readonly busy: string; readonly processors: number } | undefined => {
  const [busy, processors] = [load?.["busy"], load?.["processors"]]
  return busy === undefined || processors === undefined ? undefined : { busy: oneDigit.format(busy), processors }
}

export const platformWords = ({ arch, platform }: Pick<Device, "arch" | "platform">): string =>
  `${
    ({ linux: "Linux", darwin: "macOS", win32: "Windows" } as Readonly<Record<string, string>>)[platform] ?? platform
  } ${arch}`

/** The contract's pattern of a label. */
export const labelPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/u
export const labelsMax = 32
export const labelsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.split(/[\s,]+/u).filter((label) => label !== ""))
]
