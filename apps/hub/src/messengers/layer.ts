/** Clicks and commands of people in Slack and Discord. */
import { Layer } from "effect"
import { MessengerDecisions } from "./decisions.ts"
import { DiscordCalls } from "./discord.ts"
import { MessengerHooksHttp } from "./http.ts"
import { SlackCalls } from "./slack.ts"

export const services = Layer.mergeAll(SlackCalls.layer, DiscordCalls.layer).pipe(
  Layer.provideMerge(MessengerDecisions.layer)
)

export const handlers = MessengerHooksHttp
