/** The nouns that list, show, and change one kind of thing. */
import { Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Cli } from "./cli.ts"
import { columns } from "./columns.ts"
import { command, first, given, limit, optionalText } from "./define.ts"
import { CommandError, usageError } from "./exit.ts"
import { readBody, readStandardInput } from "./input.ts"
import type { Column } from "./output.ts"

const id = Argument.String("id")
const name = Argument.String("name")
const json = Argument.String("json").pipe(Argument.withDescription("JSON, @FILE, or - for standard input"))

type Client = ReturnType<Cli["person"]>

const lister = (
  what: string,
  shown: ReadonlyArray<Column>,
  items: (client: Client) => AsyncIterable<unknown>,
  client: (cli: Cli) => Client = (cli) => cli.person()
) =>
  command(
    "list",
    `List ${what}.`,
    { limit },
    async (cli, { limit }) => cli.out.rows(await first(items(client(cli)), limit), shown, `No ${what}.`)
  )

const shower = (what: string, read: (client: Client, id: string) => PromiseLike<unknown>) =>
  command("show", `Show one ${what}.`, { id }, async (cli, { id }) => cli.out.one(await read(cli.person(), id)))

const remover = (
  verb: string,
  description: string,
  remove: (client: Client, id: string) => PromiseLike<void>
) =>
  command(verb, description, { id }, async (cli, { id }) => {
    await cli.confirm(`${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${id}?`)
    await remove(cli.person(), id)
  })

/** Cents of a flag in dollars, such as 12.50. */
const cents = (text: string): number => {
  if (!/^\d{1,9}(?:\.\d{1,2})?$/u.test(text)) throw usageError(`"${text}" is no amount. Write dollars, such as 12.50.`)
  const [whole = "0", part = ""] = text.split(".")
  return Number(whole) * 100 + Number(part.padEnd(2, "0"))
}

export const agents = Command.make("agents").pipe(
  Command.withDescription("Agents."),
  Command.withSubcommands([
    lister("agents", columns.agents, (client) => client.agents.list()),
    shower("agent", (client, id) => client.agents.get(id)),
    command(
      "create",
      "Create an agent, and print its key once.",
      {
        name,
        budget: optionalText("budget", "Dollars in a month, such as 25.00"),
        test: Flag.Boolean("test").pipe(Flag.withDefault(false), Flag.withDescription("With a test key"))
      },
      async (cli, { budget, name, test }) => {
        cli.out.one(
          await cli.person().agents.create({
            name,
            mode: test ? "test" : "live",
            ...Option.isSome(budget) ? { monthly_budget_cents: cents(budget.value) } : {}
          }),
          cli.out.format === "table"
            ? [...columns.agents, { key: "api_key", title: "API KEY (shown once)" }]
            : undefined
        )
      }
    ),
    command(
      "bind",
      "Let an agent use a service.",
      {
        id,
        service: Argument.String("service"),
        operations: optionalText("operations", "Names, separated by commas. Default: all")
      },
      async (cli, { id, operations, service }) =>
        cli.out.one(
          await cli.person().bindings.put(id, {
            service,
            operations: Option.isSome(operations) ? operations.value.split(",") : ["*"]
          })
        )
    ),
    command(
      "unbind",
      "Take a service from an agent.",
      { id, service: Argument.String("service") },
      async (cli, input) => {
        await cli.confirm(`Take ${input.service} from ${input.id}?`)
        await cli.person().bindings.disable(input.id, input.service)
      }
    )
  ])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("Keys of agents."),
  Command.withSubcommands([
    command(
      "rotate",
      "Replace an agent's key, and print the new one once.",
      {
        id,
        grace: Flag.Int("grace-seconds").pipe(Flag.optional, Flag.withDescription("How long the old key stays valid")),
        test: Flag.Boolean("test").pipe(Flag.withDefault(false), Flag.withDescription("The test key"))
      },
      async (cli, { grace, id, test }) => {
        await cli.confirm(`Replace the key of ${id}?`)
        const mode = test ? "test" : "live"
        cli.out.one(await cli.person().agents.rotateKey(id, { mode, ...given({ grace_seconds: grace }) }))
      }
    )
  ])
)

export const standing = Command.make("standing").pipe(
  Command.withDescription("Standing approvals."),
  Command.withSubcommands([
    lister("standing approvals", columns.standing, (client) => client.standingApprovals.list()),
    shower("standing approval", (client, id) => client.standingApprovals.get(id)),
    remover("withdraw", "Withdraw a standing approval.", (client, id) => client.standingApprovals.withdraw(id))
  ])
)

export const policies = Command.make("policies").pipe(
  Command.withDescription("Policy rules."),
  Command.withSubcommands([
    lister("policies", columns.policies, (client) => client.policies.list()),
    shower("policy", (client, id) => client.policies.get(id)),
    command(
      "create",
      "Create a policy from JSON.",
      { json },
      async (cli, { json }) => cli.out.one(await cli.person().policies.create(await readBody(json)))
    ),
    command(
      "update",
      "Change a policy by JSON.",
      { id, json },
      async (cli, { id, json }) => cli.out.one(await cli.person().policies.update(id, await readBody(json)))
    ),
    remover("delete", "Delete a policy.", (client, id) => client.policies.remove(id))
  ])
)

export const services = Command.make("services").pipe(
  Command.withDescription("The catalog of services."),
  Command.withSubcommands([
    lister("services", columns.services, (client) => client.services.list(), (cli) => cli.either()),
    command("show", "Show one service with its operations.", { name }, async (cli, { name }) => {
      const service = await cli.either().services.get(name)
      if (cli.out.format !== "table") return cli.out.one(service)
      const shown: ReadonlyArray<Column> = [
        { key: "name", title: "OPERATION" },
        { key: "price.type", title: "PRICE" },
        { key: "price.cents", title: "COST", kind: "money" },
        { key: "title", title: "TITLE" }
      ]
      cli.out.rows(service.operations, shown, "No operations.")
    }),
    command(
      "create",
      "Declare a service from JSON.",
      { json },
      async (cli, { json }) => cli.out.one(await cli.person().services.create(await readBody(json)))
    ),
    command(
      "import",
      "Import a service from an OpenAPI document, from JSON.",
      { json },
      async (cli, { json }) => cli.out.one(await cli.person().services.import(await readBody(json)))
    ),
    command("delete", "Delete a declared service.", { name }, async (cli, { name }) => {
      await cli.confirm(`Delete ${name}?`)
      await cli.person().services.remove(name)
    })
  ])
)

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Secrets of services: their values are never shown."),
  Command.withSubcommands([
    lister("secrets", columns.secrets, (client) => client.secrets.list()),
    command("put", "Store a secret; its value is read from standard input.", { name }, async (cli, { name }) => {
      const value = (await readStandardInput()).replace(/\r?\n$/u, "")
      if (value === "") throw usageError("Standard input is empty.")
      cli.out.one(await cli.person().secrets.put(name, { value }))
    }),
    command("delete", "Delete a secret.", { name }, async (cli, { name }) => {
      await cli.confirm(`Delete the secret ${name}?`)
      await cli.person().secrets.remove(name)
    })
  ])
)

export const budgets = Command.make("budgets").pipe(
  Command.withDescription("Budgets of agents."),
  Command.withSubcommands([
    command(
      "show",
      "Show the budget of an agent.",
      { id },
      async (cli, { id }) => cli.out.one(await cli.person().budgets.get(id))
    ),
    command(
      "set",
      "Set the budget of an agent.",
      {
        id,
        monthly: Flag.String("monthly").pipe(Flag.withDescription("Dollars in a month, or none")),
        threshold: optionalText("approval-threshold", "A single request above these dollars requires approval")
      },
      async (cli, { id, monthly, threshold }) =>
        cli.out.one(
          await cli.person().budgets.set(id, {
            monthly_budget_cents: monthly === "none" ? null : cents(monthly),
            ...Option.isSome(threshold) ? { approval_threshold_cents: cents(threshold.value) } : {}
          })
        )
    )
  ])
)

const from = optionalText("from", "The first moment: RFC 3339, or a UTC day")
const to = optionalText("to", "The last moment")

export const audit = Command.make("audit").pipe(
  Command.withDescription("The audit log."),
  Command.withSubcommands([
    command("list", "List entries, newest first.", {
      limit,
      from,
      to,
      action: optionalText("action", "Only this action")
    }, async (cli, { action, from, limit, to }) =>
      cli.out.rows(
        await first(cli.person().audit.list(given({ from, to, action })), limit),
        columns.audit,
        "No entries."
      )),
    command("verify", "Check the hash chain of the log.", {}, async (cli) => {
      const verification = await cli.person().audit.verify()
      cli.out.one(verification)
      if (!verification.ok) throw new CommandError("The chain is broken: the database was changed outside the hub.")
    }),
    command(
      "export",
      "Print the log as CSV, or as JSON lines with -o jsonl.",
      { from, to },
      async (cli, { from, to }) => {
        const format = cli.out.format === "csv" || cli.out.format === "table" ? "csv" : "jsonl"
        cli.out.text(await cli.person().audit.export({ format, ...given({ from, to }) }))
      }
    )
  ])
)

export const usage = command(
  "usage",
  "List usage records, newest first.",
  { limit, from, to, agent: optionalText("agent", "Only this agent") },
  async (cli, { agent, from, limit, to }) =>
    cli.out.rows(
      await first(cli.person().usage.report(given({ from, to, agentId: agent })), limit),
      columns.usage,
      "No usage."
    )
)

export const events = command("events", "Follow the events of the workspace.", {}, async (cli) => {
  for await (const event of cli.person().events.stream()) cli.out.row(event, columns.events)
})

export const apps = Command.make("apps").pipe(
  Command.withDescription("Connected apps."),
  Command.withSubcommands([
    lister("apps", columns.apps, (client) => client.apps.list()),
    shower("app", (client, id) => client.apps.get(id))
  ])
)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Outgoing webhooks."),
  Command.withSubcommands([
    lister("webhook endpoints", columns.webhooks, (client) => client.webhookEndpoints.list()),
    shower("webhook endpoint", (client, id) => client.webhookEndpoints.get(id)),
    command(
      "create",
      "Create an endpoint from JSON, and print its secret once.",
      { json },
      async (cli, { json }) => cli.out.one(await cli.person().webhookEndpoints.create(await readBody(json)))
    ),
    command(
      "test",
      "Send a test event to an endpoint.",
      { id },
      async (cli, { id }) => cli.out.one(await cli.person().webhookEndpoints.test(id))
    ),
    remover("delete", "Delete an endpoint.", (client, id) => client.webhookEndpoints.remove(id))
  ])
)

export const devices = Command.make("devices").pipe(
  Command.withDescription("Computers that are connected to the hub."),
  Command.withSubcommands([
    lister("devices", columns.devices, (client) => client.devices.list()),
    shower("device", (client, id) => client.devices.get(id)),
    command(
      "pause",
      "Pause a device.",
      { id },
      async (cli, { id }) => cli.out.one(await cli.person().devices.update(id, { state: "paused" }))
    ),
    command(
      "resume",
      "Resume a device.",
      { id },
      async (cli, { id }) => cli.out.one(await cli.person().devices.update(id, { state: "active" }))
    ),
    remover("revoke", "Revoke a device: its key dies at once.", (client, id) => client.devices.remove(id))
  ])
)

export const workspaces = Command.make("workspaces").pipe(
  Command.withDescription("Workspaces of the person."),
  Command.withSubcommands([
    lister("workspaces", columns.workspaces, (client) => client.workspaces.list()),
    shower("workspace", (client, id) => client.workspaces.get(id))
  ])
)
