/** Chat: sessions, and the turns that this hub drives. */
import { Layer } from "effect"
import { ChatSaves } from "./actor.ts"
import { ChatArtifacts } from "./artifacts.ts"
import { ChatAttachments } from "./attachments.ts"
import { ChatDriver } from "./driver.ts"
import { ChatEngine } from "./engine.ts"
import { ChatHttp } from "./http.ts"
import { ChatModels } from "./model-choice.ts"
import { ChatModelSteps } from "./model-steps.ts"
import { ChatReaders } from "./readers.ts"
import { RecentChatEvents } from "./recent-events.ts"
import { ChatSessions } from "./service.ts"
import { ChatSessionsRepository } from "./sessions-repository.ts"
import { ChatTurnStarts } from "./starts.ts"
import { ChatStreams } from "./streams.ts"
import { ChatToolCalls } from "./tool-calls.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"
import { ChatTurns } from "./turns.ts"

export const repositories = Layer.mergeAll(ChatSessionsRepository.layer, ChatTurnsRepository.layer)

export const services = Layer.mergeAll(ChatStreams.layer, ChatTurns.layer, ChatTurnStarts.layer).pipe(
  Layer.provideMerge(ChatSessions.layer),
  Layer.provideMerge(ChatEngine.layer),
  Layer.provideMerge(ChatDriver.layer),
  Layer.provideMerge(Layer.mergeAll(ChatModelSteps.layer, ChatReaders.layer, ChatToolCalls.layer)),
  Layer.provideMerge(Layer.mergeAll(ChatArtifacts.layer, ChatAttachments.layer, ChatModels.layer, ChatSaves.layer)),
  Layer.provideMerge(RecentChatEvents.layer)
)

export const handlers = ChatHttp
