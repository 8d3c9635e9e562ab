/** Likely mistakes in a valid service. Pure. Spec: reference/services.md "Service warnings". */
import type { Detail } from "./errors.ts"
import { priceWarnings } from "./price.ts"
import type { HttpOperation } from "./services.ts"

const isPaid = ({ price }: HttpOperation): boolean => price.type !== "fixed" || price.cents > 0

const losesAnswers = (operation: HttpOperation): boolean =>
  isPaid(operation) && operation.idempotent !== true && operation.unknown === undefined && operation.async === undefined

/**
 * A warning for each price that always fails, and for each paid operation without a rule for a lost provider answer.
 */
export const serviceWarnings = (operations: ReadonlyArray<HttpOperation>): ReadonlyArray<Detail> =>
  operations.flatMap((operation, at) => [
    ...priceWarnings(operation.price, `operations.${at}.price`),
    ...losesAnswers(operation)
      ? [{
        path: `operations.${at}.unknown`,
        message:
          `If the provider's answer to ${operation.name} is lost, the request ends as failed, and an agent that sends it again may ` +
          "pay twice. Set `idempotent: true` if the provider executes the same idempotency-key once, `unknown: \"hold\"` to hold the " +
          "money until the outcome is known, or `unknown: \"fail\"` if paying twice is acceptable."
      }]
      : []
  ])
