import { defineText, plural } from "./catalogue.ts"

export const channelsText = defineText({
  title: "Channels",
  lead: "Approvals in Slack and Discord: linked people decide by buttons, under the same rules as here.",
  noRight: "Your role here can't manage channels.",
  empty: "A channel shows pending approvals in Slack or Discord, and people decide there.",
  kinds: { slack: "Slack", discord: "Discord" },
  optional: "optional",
  of: (kind: string, target: string) => `${kind} ${target}`,
  events: {
    "approval.created": "Approvals",
    "agent_request.created": "Agent requests",
    "budget_request.updated": "Budget requests"
  },
  from: (amount: string) => `From ${amount}`,
  agentCount: (count: number) => plural(count, { one: "# agent", other: "# agents" }),
  lastSent: "Last message {time}",
  neverSent: "No message yet",
  works: "Working",
  untried: "Not tested",
  broken: "Not delivered",

  create: {
    act: "Create channel",
    title: "New channel",
    failed: "The channel was not created.",
    unchanged: "Nothing was changed.",
    done: "Channel created. Send a test next."
  },
  edit: {
    act: "Edit",
    actOf: (name: string) => `Edit ${name}`,
    title: "Edit the channel",
    failed: "The channel was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },
  test: {
    act: "Send test",
    actOf: (name: string) => `Send test to ${name}`,
    failed: "The test was not delivered.",
    done: "Test delivered.",
    silent: "Test delivered. Buttons don't work yet: the hub has no setting that verifies clicks."
  },
  remove: {
    act: "Delete",
    actOf: (name: string) => `Delete ${name}`,
    title: "Delete the channel?",
    what: (name: string) => `The messages in ${name} stay, and their buttons decide nothing.`,
    failed: "The channel was not deleted.",
    unchanged: "It is as it was.",
    done: "Channel deleted."
  },
  form: {
    kind: "Messenger",
    setup: "Setup",
    slackSteps:
      "Create a Slack app from this manifest at api.slack.com/apps, install it, and set its signing secret as HUB_SLACK_SIGNING_SECRET. Invite the bot to the channel.",
    manifest: "Manifest of the Slack app",
    copyManifest: "Copy manifest",
    discordSteps:
      "Create an application with a bot at discord.com/developers. Set its public key as HUB_DISCORD_PUBLIC_KEY, then enter this interactions endpoint and invite the bot to the channel.",
    endpoint: "Interactions endpoint URL",
    copyEndpoint: "Copy address",
    secret: "Secret with the bot's token",
    secretAbout: "Store the bot token under Secrets first.",
    noSecret: "Choose a secret",
    secretNeeded: "Choose the secret that holds the bot's token.",
    target: "Channel ID",
    targetAbout: { slack: "Such as C0123456789, in the channel's details", discord: "Such as 112233445566778899" },
    targetNeeded: "Enter the ID of the channel.",
    shows: "Shows",
    eventsNeeded: "Select at least one.",
    min: "Smallest amount",
    minAbout: "For approvals and budget requests. Empty: every amount",
    minInvalid: "Enter an amount such as 25.00.",
    agents: "Agents",
    allAgents: "All agents",
    someAgents: "Selected agents",
    agentsNeeded: "Select at least one agent."
  }
})
