/** What every command has: the global flags, the profile, clients, and the output. */
import { Countersign } from "@countersign/client"
import { CommandError, exitCodes, usageError } from "./exit.ts"
import { ask } from "./input.ts"
import { type Format, Output } from "./output.ts"
import { profileName, readCredentials, readProfile } from "./profiles.ts"

export interface GlobalFlags {
  readonly profile: string | undefined
  readonly url: string | undefined
  readonly workspace: string | undefined
  readonly output: Format | undefined
  readonly yes: boolean
  readonly noInput: boolean
}

export class Cli {
  readonly flags: GlobalFlags
  readonly out: Output
  readonly profile: string

  constructor(flags: GlobalFlags) {
    const isTerminal = process.stdout.isTTY === true
    this.flags = flags
    this.profile = profileName(flags.profile)
    this.out = new Output(
      flags.output ?? (isTerminal ? "table" : "json"),
      !flags.noInput && process.stdin.isTTY === true && process.stderr.isTTY === true
    )
  }

  /** The hub's root address: the flag, the environment, the profile. */
  get url(): string {
    const url = this.flags.url ?? (process.env["COUNTERSIGN_URL"] || readProfile(this.profile).url)
    if (url !== undefined && url !== "") return url.replace(/\/+$/u, "")
    throw new CommandError("No hub is known. Sign in with: countersign login --url <address>", exitCodes.signInRequired)
  }

  get token(): string | undefined {
    return process.env["COUNTERSIGN_TOKEN"] || readCredentials(this.profile).token
  }

  get apiKey(): string | undefined {
    return process.env["COUNTERSIGN_API_KEY"] || readCredentials(this.profile).api_key
  }

  #client(credential: { readonly token?: string; readonly apiKey?: string }): Countersign {
    const workspace = this.flags.workspace ?? readProfile(this.profile).workspace
    return new Countersign({
      baseUrl: this.url,
      ...credential,
      ...workspace === undefined || credential.apiKey !== undefined ? {} : { workspace }
    })
  }

  /** The client of the person who signed in. */
  person(): Countersign {
    const { token } = this
    if (token === undefined) {
      throw new CommandError("You are not signed in. Sign in with: countersign login", exitCodes.signInRequired)
    }
    return this.#client({ token })
  }

  /** The client of an agent. */
  agent(): Countersign {
    const { apiKey } = this
    if (apiKey === undefined) {
      throw new CommandError(
        "This needs an agent's key. Set COUNTERSIGN_API_KEY, or store one with: countersign login --key",
        exitCodes.signInRequired
      )
    }
    return this.#client({ apiKey })
  }

  /** The person's client, or the agent's where only that is known. */
  either(): Countersign {
    return this.token === undefined && this.apiKey !== undefined ? this.agent() : this.person()
  }

  /** A change that cannot be undone: `--yes`, or an answer on the terminal. */
  async confirm(question: string): Promise<void> {
    if (this.flags.yes) return
    if (!this.out.isInteractive) throw usageError(`${question} Confirm with --yes.`)
    if (await ask(`${question} [y/N] `) !== "y") throw new CommandError("Nothing was changed.")
  }
}
