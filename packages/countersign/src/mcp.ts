/** `mcp install`: adds the hub to the settings of an MCP client, as one entry that other entries do not notice. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { mkdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { command } from "./define.ts"
import { CommandError, exitCodes, usageError } from "./exit.ts"
import { replaceFile } from "./profiles.ts"

interface Place {
  /** Below the home folder. */
  readonly own: ReadonlyArray<string>
  /** Below the project's folder. */
  readonly project: ReadonlyArray<string>
  readonly servers: "mcpServers" | "servers"
}

const codeFolder: Readonly<Record<string, ReadonlyArray<string>>> = {
  darwin: ["Library", "Application Support", "Code", "User"],
  win32: ["AppData", "Roaming", "Code", "User"]
}

const places: Readonly<Record<string, Place>> = {
  claude: { own: [".claude.json"], project: [".mcp.json"], servers: "mcpServers" },
  cursor: { own: [".cursor", "mcp.json"], project: [".cursor", "mcp.json"], servers: "mcpServers" },
  vscode: {
    own: [...codeFolder[process.platform] ?? [".config", "Code", "User"], "mcp.json"],
    project: [".vscode", "mcp.json"],
    servers: "servers"
  }
}

type Settings = Readonly<Record<string, unknown>>

const readSettings = (file: string): Settings => {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {}
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Settings
  } catch {
    // Settings with comments are not changed: the comments would be lost.
  }
  throw new CommandError(`${file} is not plain JSON. Add the entry by hand: countersign mcp install --print`)
}

const install = command(
  "install",
  "Add the hub to an MCP client: claude, cursor, or vscode.",
  {
    client: Argument.String("client"),
    project: Flag.Boolean("project").pipe(Flag.withDefault(false), Flag.withDescription("For this folder only")),
    print: Flag.Boolean("print").pipe(Flag.withDefault(false), Flag.withDescription("Print the entry, change nothing"))
  },
  async (cli, { client, print, project }) => {
    const place = Object.hasOwn(places, client) ? places[client] : undefined
    if (place === undefined) throw usageError(`"${client}" is unknown. Choose ${Object.keys(places).join(", ")}.`)
    const { apiKey } = cli
    if (apiKey === undefined) {
      throw new CommandError(
        "An MCP client uses an agent's key. Store one with: countersign login --key",
        exitCodes.signInRequired
      )
    }
    const entry = { type: "http", url: `${cli.url}/mcp`, headers: { Authorization: `Bearer ${apiKey}` } }
    if (print) return cli.out.text(JSON.stringify({ [place.servers]: { countersign: entry } }, undefined, 2))
    const file = project ? join(process.cwd(), ...place.project) : join(homedir(), ...place.own)
    const settings = readSettings(file)
    const servers = (settings[place.servers] ?? {}) as Settings
    if (servers["countersign"] !== undefined) await cli.confirm(`Replace the entry "countersign" in ${file}?`)
    mkdirSync(dirname(file), { recursive: true })
    const changed = { ...settings, [place.servers]: { ...servers, countersign: entry } }
    // The file contains the key now.
    replaceFile(file, `${JSON.stringify(changed, undefined, 2)}\n`, 0o600)
    cli.out.note(`Added "countersign" to ${file}. Restart ${client}.`)
    if (project) cli.out.note("The file contains the agent's key: do not commit it.")
  }
)

export const mcp = Command.make("mcp").pipe(
  Command.withDescription("The hub as an MCP server."),
  Command.withSubcommands([install])
)
