/** `config` and `open`. */
import { Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { spawn } from "node:child_process"
import { command } from "./define.ts"
import { usageError } from "./exit.ts"
import { folder, profileName, readConfig, readCredentials, readProfile, useProfile, writeProfile } from "./profiles.ts"

const settable = ["url", "workspace"] as const
const isSettable = (key: string): key is typeof settable[number] => (settable as ReadonlyArray<string>).includes(key)
const key = Argument.String("key").pipe(Argument.withDescription(settable.join(" or ")))
const value = Argument.String("value")

export const config = Command.make("config").pipe(
  Command.withDescription("Profiles of this computer."),
  Command.withSubcommands([
    command("list", "List the profiles.", {}, async (cli) => {
      const { current, profiles = {} } = readConfig()
      const rows = Object.entries(profiles).map(([name, profile]) => {
        const { api_key, token } = readCredentials(name)
        return {
          name,
          current: name === (current ?? profileName(undefined)),
          ...profile,
          token: token === undefined ? "none" : "stored",
          agent_key: api_key === undefined ? "none" : "stored"
        }
      })
      const titles = ["name", "current", "url", "workspace", "token", "agent_key"]
      cli.out.rows(rows, titles.map((key) => ({ key, title: key.toUpperCase() })), `No profiles in ${folder()}.`)
    }),
    command("get", "Print a setting of the profile.", { key }, async (cli, { key }) => {
      if (!isSettable(key)) throw usageError(`"${key}" is no setting. Choose ${settable.join(", ")}.`)
      cli.out.text(readProfile(cli.profile)[key] ?? "")
    }),
    command("set", "Change a setting of the profile.", { key, value }, async (cli, { key, value }) => {
      if (!isSettable(key)) throw usageError(`"${key}" is no setting. Choose ${settable.join(", ")}.`)
      writeProfile(cli.profile, { [key]: value })
    }),
    command(
      "use",
      "Make a profile the current one.",
      { name: Argument.String("name") },
      async (_, { name }) => useProfile(name)
    )
  ])
)

const openers: Readonly<Record<string, readonly [program: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

export const open = command(
  "open",
  "Open the console in the browser, at a page if you name one.",
  { page: Argument.String("page").pipe(Argument.optional) },
  async (cli, { page }) => {
    const address = new URL(Option.getOrElse(page, () => "/").replace(/^\/*/u, "/"), `${cli.url}/`).toString()
    cli.out.text(address)
    if (!cli.out.isInteractive) return
    const [program, ...args] = openers[process.platform] ?? ["xdg-open"]
    // Without a browser, the printed address is enough.
    spawn(program, [...args, address], { stdio: "ignore", detached: true }).on("error", () => {}).unref()
  }
)
