/** Pending approvals and requests as messages in Slack and Discord. */
import { Layer } from "effect"
import { NoticeDelivery } from "./delivery.ts"
import { Discord } from "./discord.ts"
import { NoticeFeed } from "./feed.ts"
import { NoticeChannelsHttp } from "./http.ts"
import { NoticeMentions } from "./mentions.ts"
import { NoticeMessagesRepository } from "./messages-repository.ts"
import { NoticeChannelsRepository } from "./repository.ts"
import { NoticeSender } from "./sender.ts"
import { NoticeChannels } from "./service.ts"
import { Slack } from "./slack.ts"
import { NoticeSubjects } from "./subjects.ts"

export const repositories = Layer.mergeAll(NoticeChannelsRepository.layer, NoticeMessagesRepository.layer)

export const services = Layer.mergeAll(NoticeChannels.layer, NoticeDelivery.layer).pipe(
  Layer.provideMerge(NoticeFeed.layer),
  Layer.provideMerge(Layer.mergeAll(NoticeMentions.layer, NoticeSender.layer, NoticeSubjects.layer)),
  Layer.provideMerge(Layer.mergeAll(Slack.layer, Discord.layer))
)

export const handlers = NoticeChannelsHttp
