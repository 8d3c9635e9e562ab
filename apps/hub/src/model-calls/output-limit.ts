/** The limit of an answer when the caller of a model sets none. Spec: reference/models.md "Model calls". */
import type { Mode } from "@countersign/domain/auth"
import { capsOf } from "@countersign/domain/bindings"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { defaultRatesOf } from "@countersign/domain/price"
import { ceilingCentsOf, outputTokensFor } from "@countersign/domain/token-price"
import { Context, Effect, Layer } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import { ModelCatalog } from "../models/catalog.ts"
import { inputTokensMax, type Prompt } from "../providers/model-prompt.ts"
import { modelTarget } from "./target.ts"

/** If the model allows it. */
const maxTokensDefault = 8_192
/** A budget with less left than this many tokens is reported as used up. */
const maxTokensLeast = 256

/** Whose budgets pay for a model call. */
export interface ModelPayer {
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
}

export interface OutputLimit {
  readonly maxTokens: number
  /** The budgets pay for less than the default. */
  readonly shrunk: boolean
}

export class OutputLimits extends Context.Service<OutputLimits, {
  /** The cents that the agent's budgets have left for a model call. */
  readonly left: (payer: ModelPayer) => Effect.Effect<number>
  /** The default limit of the answer, as far as the agent's budgets pay for it. `left`: if it was just read. */
  readonly of: (
    payer: ModelPayer,
    prompt: Omit<Prompt, "max_tokens">,
    left?: number
  ) => Effect.Effect<OutputLimit>
}>()("@countersign/hub/model-calls/OutputLimits") {
  static readonly layer = Layer.effect(
    OutputLimits,
    Effect.gen(function*() {
      const catalog = yield* ModelCatalog
      const configuration = yield* Configuration
      const limits = yield* LimitsRepository

      const left = Effect.fnUntraced(function*({ agent, mode, org }: ModelPayer) {
        const found = yield* Effect.promise(() => configuration.load(org, agent))
        const binding = found?.agent.bindings.get(modelTarget.service)
        const caps = binding === undefined ? {} : capsOf(binding, modelTarget.operation)
        const { remaining } = yield* limits.figures({ org, agent, mode, ...modelTarget }, caps)
        return Math.min(
          remaining.wallet_cents,
          remaining.agent_month_cents ?? Infinity,
          remaining.operation_month_cents ?? Infinity
        )
      })

      const of = Effect.fnUntraced(function*(
        payer: ModelPayer,
        prompt: Omit<Prompt, "max_tokens">,
        known?: number
      ) {
        const { agent, org } = payer
        const { table } = catalog.peek()
        const own = table.find(prompt.model)?.top_provider.max_completion_tokens ?? maxTokensDefault
        const wanted = Math.min(own, maxTokensDefault)
        const whole: OutputLimit = { maxTokens: wanted, shrunk: false }
        const found = yield* Effect.promise(() => configuration.load(org, agent))
        const price = found?.org.services.get(modelTarget.service)?.operations.get(modelTarget.operation)?.definition
          .price
        const rates = table.ratesOf(prompt.model) ?? (price?.type === "tokens" ? defaultRatesOf(price) : undefined)
        if (rates === undefined || found === undefined) return whole
        const input = inputTokensMax(prompt)
        if (ceilingCentsOf(rates, input, wanted) === 0) return whole
        const cents = known ?? (yield* left(payer))
        if (ceilingCentsOf(rates, input, wanted) <= cents) return whole
        const paid = Number.isFinite(cents) ? outputTokensFor(rates, input, Math.max(0, Math.floor(cents))) : wanted
        const maxTokens = Math.min(wanted, Math.max(maxTokensLeast, paid))
        return { maxTokens, shrunk: maxTokens < wanted }
      })

      return OutputLimits.of({ left, of })
    })
  )
}
