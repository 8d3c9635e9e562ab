/** Notice channels for pictures. */
import type { Ask } from "./example-fleet.ts"

export const makeExampleChannels = async (ask: Ask): Promise<void> => {
  await ask("PUT", "/secrets/slack_bot", { body: { value: "xoxb-0" } })
  await ask("PUT", "/secrets/discord_bot", { body: { value: "0" } })
  await ask("POST", "/notice-channels", {
    body: { kind: "discord", secret: "discord_bot", target: "112233445566778899", events: ["agent_request.created"] }
  })
  await ask("POST", "/notice-channels", {
    body: {
      kind: "slack",
      secret: "slack_bot",
      target: "C0123456789",
      min_cents: 2_500,
      events: ["approval.created", "budget_request.updated"]
    }
  })
}
