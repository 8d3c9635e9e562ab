/** Sign-in: device authorization (RFC 8628), or a token or key from standard input. */
import { Countersign, CountersignError } from "@countersign/client"
import * as Flag from "effect/cli/Flag"
import { hostname } from "node:os"
import type { Cli } from "./cli.ts"
import { command } from "./define.ts"
import { CommandError, exitCodes, usageError } from "./exit.ts"
import { ask, readStandardInput } from "./input.ts"
import { readConfig, readCredentials, removeCredentials, writeCredentials, writeProfile } from "./profiles.ts"

/** What the command line does for a person: everything except what a cookie alone may do. */
const scopes = [
  "agents:read",
  "agents:write",
  "agents:keys",
  "requests:read",
  "requests:write",
  "approvals:read",
  "approvals:decide",
  "audit:read",
  "usage:read",
  "budgets:read",
  "budgets:write",
  "billing:write",
  "members:read",
  "catalog:read",
  "catalog:write",
  "devices:read",
  "devices:write",
  "apps:read",
  "apps:write",
  "chat:read",
  "chat:write",
  "workspace:write"
]

interface Authorization {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval?: number
}

interface Granted {
  readonly access_token: string
  readonly workspace_id?: string
}

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

const post = async (url: string, body: object): Promise<Answer> => {
  let response: Response
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000)
    })
  } catch (error) {
    throw new CommandError(`${url} could not be reached: ${(error as Error).message}`)
  }
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) as Answer["body"] }
  } catch {
    throw new CommandError(`${url} answered ${response.status} without JSON. Is this the hub's address?`)
  }
}

const codeOf = ({ body }: Answer): string => {
  const { error } = body
  const { code } = typeof error === "object" && error !== null ? error as { readonly code?: unknown } : { code: error }
  return typeof code === "string" ? code : "unknown"
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Shows the code and waits until a person confirms it in the console. */
const authorize = async (cli: Cli, url: string): Promise<Granted> => {
  const begun = await post(`${url}/api/v1/auth/device`, { client_name: `countersign on ${hostname()}`, scopes })
  if (begun.status === 404) throw new CommandError("This hub has no device sign-in. Use: countersign login --token")
  if (begun.status >= 300) throw new CommandError(`The hub refused the sign-in: ${codeOf(begun)}.`)
  const { device_code, expires_in, interval = 5, user_code, verification_uri, verification_uri_complete } = begun
    .body as unknown as Authorization
  cli.out.note(`Open ${verification_uri_complete ?? verification_uri} and confirm the code ${user_code}`)
  let seconds = interval
  for (let left = expires_in; left > 0; left -= seconds) {
    await sleep(seconds * 1_000)
    const answer = await post(`${url}/api/v1/auth/device/token`, { device_code })
    if (answer.status < 300) return answer.body as unknown as Granted
    switch (codeOf(answer)) {
      case "authorization_pending":
        break
      case "slow_down":
        seconds += 5
        break
      case "access_denied":
        throw new CommandError("The sign-in was rejected.")
      case "expired_token":
        throw new CommandError("The code has expired. Sign in again.")
      default:
        throw new CommandError(`The hub refused the sign-in: ${codeOf(answer)}.`)
    }
  }
  throw new CommandError("The code has expired. Sign in again.")
}

const addressOf = async (cli: Cli): Promise<string> => {
  const known = cli.flags.url ?? (process.env["COUNTERSIGN_URL"] || readConfig().profiles?.[cli.profile]?.url)
  const url = known ?? (cli.out.isInteractive ? await ask("Address of the hub: ") : undefined)
  if (url === undefined || url === "") throw usageError("Give the hub's address with --url.")
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
    throw usageError(`"${url}" is no http(s) address.`)
  }
  return url.replace(/\/+$/u, "").replace(/\/api\/v1$/u, "")
}

const fromInput = async (name: string, pattern: RegExp): Promise<string> => {
  const value = (await readStandardInput()).trim()
  if (!pattern.test(value)) throw usageError(`Standard input has no ${name}.`)
  return value
}

export const login = command(
  "login",
  "Sign in to a hub: confirm a code in the console, or give a token or an agent's key on standard input.",
  {
    token: Flag.Boolean("token").pipe(Flag.withDefault(false), Flag.withDescription("Read a personal access token")),
    key: Flag.Boolean("key").pipe(Flag.withDefault(false), Flag.withDescription("Read an agent's key, for dispatch"))
  },
  async (cli, { key, token }) => {
    const url = await addressOf(cli)
    if (key) {
      const apiKey = await fromInput("agent key", /^agent_key_(?:live|test)_\S+$/u)
      await new Countersign({ baseUrl: url, apiKey }).services.list()
      writeProfile(cli.profile, { url })
      writeCredentials(cli.profile, { api_key: apiKey })
      return cli.out.note(`The agent's key is stored in the profile "${cli.profile}".`)
    }
    const granted: Granted = token
      ? { access_token: await fromInput("personal access token", /^svc_pat_\S+$/u) }
      : await authorize(cli, url)
    const me = await new Countersign({ baseUrl: url, token: granted.access_token }).auth.me()
    writeProfile(cli.profile, { url })
    writeCredentials(cli.profile, { token: granted.access_token })
    cli.out.note(`Signed in to ${url} as ${me.user.email} (profile "${cli.profile}").`)
  }
)

export const logout = command(
  "logout",
  "Remove the credentials of the profile from this computer. The token stays valid until it is revoked in the console.",
  {},
  async (cli) => {
    removeCredentials(cli.profile)
    cli.out.note(
      `The credentials of the profile "${cli.profile}" are removed. Revoke the token in the console's settings.`
    )
  }
)

export const whoami = command("whoami", "Show the person, the workspace, and the hub.", {}, async (cli) => {
  const { api_key } = readCredentials(cli.profile)
  try {
    const { active_workspace, user, workspaces } = await cli.person().auth.me()
    const workspace = workspaces.find(({ id }) => id === active_workspace)
    cli.out.one({
      hub: cli.url,
      profile: cli.profile,
      user: user.email,
      workspace: workspace?.name ?? active_workspace,
      role: workspace?.role,
      agent_key: api_key === undefined ? "none" : "stored"
    })
  } catch (error) {
    if (!(error instanceof CommandError) || cli.apiKey === undefined) throw error
    await cli.agent().services.list().then(() => {}, (failure: unknown) => {
      if (failure instanceof CountersignError && failure.status === 401) {
        throw new CommandError("The agent's key is not valid.", exitCodes.signInRequired)
      }
      throw failure
    })
    cli.out.one({ hub: cli.url, profile: cli.profile, agent_key: "valid" })
  }
})
