/**
 * What a hub prints about its own start and stop, whatever its log level is. Text on a terminal; otherwise JSON lines,
 * and secrets go to files that only the hub's user can read. Spec: reference/operation.md "Logs".
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HubConfig } from "./config.ts"
import { jsonLine } from "./platform/logging.ts"

type Output = Pick<HubConfig, "logFormat">

const lineOf = (
  { logFormat }: Output,
  level: "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>
): string => logFormat === "json" ? jsonLine(new Date(), level, message, fields) : `${message}\n`

export const announce = (
  output: Output,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
  level: "info" | "warn" = "info"
): void => void process.stdout.write(lineOf(output, level, message, fields))

/** On standard error. `done` runs when the system has accepted the line. */
export const announceFailure = (output: Output, message: string, done?: () => void): void =>
  void process.stderr.write(lineOf(output, "error", message), done)

/** The format before the settings are read, or when they are wrong. */
export const outputOfEnv = (): Output => {
  const asked = process.env["HUB_LOG_FORMAT"]?.trim()
  return { logFormat: asked === "json" || (asked !== "pretty" && process.stdout.isTTY !== true) ? "json" : "pretty" }
}

/** Files in the data directory with the secrets that a terminal would show. */
export const secretFiles = { setupLink: "setup-link.txt", demoKey: "demo-key.txt" } as const

/** Shows a text with a secret on a terminal, otherwise writes it to a file of mode 0600, which the log names. */
export const announceSecret = (
  config: Pick<HubConfig, "dataDir" | "logFormat" | "terminal">,
  file: string,
  subject: string,
  text: string
): void => {
  if (config.terminal && config.logFormat === "pretty") return announce(config, `\n${text}`)
  const path = join(config.dataDir, file)
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
    // The mode above applies to a new file only.
    chmodSync(path, 0o600)
    announce(config, `${subject} is in ${path}`, { file: path })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    announceFailure(
      config,
      `${subject} cannot be written to ${path} (${code}): set HUB_DATA_DIR to a writable directory`
    )
  }
}

/** A link that no longer works misleads. */
export const removeSetupLink = ({ dataDir }: Pick<HubConfig, "dataDir">): void =>
  rmSync(join(dataDir, secretFiles.setupLink), { force: true })
