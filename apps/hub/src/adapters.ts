/** Chooses the adapter of a service: by its kind, a shipped one by its adapter's name, and the mock for test mode. */
import { Effect, Layer } from "effect"
import { Settings } from "./config.ts"
import { deviceAdapter } from "./devices/adapter.ts"
import { DeviceWork } from "./devices/work.ts"
import { Adapters } from "./dispatch/pipeline/adapters.ts"
import { KnowledgeWork } from "./knowledge/work.ts"
import { MemoryWork } from "./memories/work.ts"
import { ModelCatalog } from "./models/catalog.ts"
import { PromptsRepository } from "./models/prompts-repository.ts"
import { counting, modelCalls } from "./platform/telemetry.ts"
import { type Adapter, failed } from "./providers/adapter.ts"
import { demoAdapter } from "./providers/demo.ts"
import { echoAdapter } from "./providers/echo.ts"
import { EgressFetch } from "./providers/egress-fetch.ts"
import { Egress } from "./providers/egress.ts"
import { emailAdapter } from "./providers/email.ts"
import { httpFetchAdapter } from "./providers/http-fetch.ts"
import { httpAdapter } from "./providers/http.ts"
import { llmAdapter, llmTestAdapter } from "./providers/llm/adapter.ts"
import { Mailer } from "./providers/mail.ts"
import { mcpAdapter } from "./providers/mcp.ts"
import { mockAdapter } from "./providers/mock.ts"
import { webhookAdapter } from "./runs/webhook.ts"
import { RunWork } from "./runs/work.ts"
import { speechAdapter } from "./speech/adapter.ts"
import { StorageWork } from "./storage/work.ts"
import { voiceAdapter } from "./voice/adapter.ts"
import { voiceService } from "./voice/status.ts"

export const adaptersLayer = Layer.effect(
  Adapters,
  Effect.gen(function*() {
    const egress = yield* Egress
    const mailer = yield* Mailer
    const devices = yield* DeviceWork
    const knowledge = yield* KnowledgeWork
    const memories = yield* MemoryWork
    const runs = yield* RunWork
    const storage = yield* StorageWork
    const models = yield* ModelCatalog
    const prompts = yield* PromptsRepository
    const settings = yield* Settings
    const context = yield* Effect.context<never>()
    const http = httpAdapter(egress)
    const voice = voiceAdapter(http, settings)
    const mcp = mcpAdapter(yield* EgressFetch)
    const builtin: Readonly<Record<string, Adapter>> = {
      demo: demoAdapter,
      device: deviceAdapter(devices),
      echo: echoAdapter,
      http: httpFetchAdapter(egress),
      email: emailAdapter(mailer),
      llm: llmAdapter({
        egress,
        settings,
        ratesOf: (model) => models.peek().table.ratesOf(model),
        promptOf: prompts.find,
        counted: counting(modelCalls, context)
      }),
      knowledge: knowledge.adapter,
      memory: memories.adapter,
      speech: speechAdapter(egress, settings.tts),
      storage: storage.adapter,
      webhook: webhookAdapter(egress),
      workflow: runs.adapter
    }
    const testLlm = llmTestAdapter(mockAdapter, prompts.find)
    const absent: Adapter = {
      execute: (definition) =>
        Effect.succeed(failed(`The service ${definition.name} names an adapter that this hub does not have.`))
    }
    return Adapters.of({
      of: (definition, mode) =>
        // A run in test mode is a run of test requests.
        definition.kind === "builtin" && definition.adapter === "workflow"
          ? runs.adapter
          : mode === "test"
          ? definition.kind === "builtin" && definition.adapter === "llm" ? testLlm : mockAdapter
          : definition.kind === "http"
          ? definition.name === voiceService ? voice : http
          : definition.kind === "mcp"
          ? mcp
          : builtin[definition.adapter] ?? absent
    })
  })
)
