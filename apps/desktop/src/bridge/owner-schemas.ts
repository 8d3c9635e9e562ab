/** What the methods of the owner's window take. Loaded in main only. */
import { Schema } from "effect"
import type { OwnerMethod } from "./owner.ts"

/** Of the rules' file, in characters. */
export const rulesTextMax = 1_048_576

const nothing = Schema.Undefined
const Question = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))
const Digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))
const Of = Schema.Struct({ question: Question, digest: Digest })

export const ownerAsks: Readonly<Record<OwnerMethod, Schema.Top>> = {
  state: nothing,
  drawn: Of,
  read: Of,
  allow: Of,
  // What closing and a crash are, main sees by itself.
  deny: Schema.Struct({ question: Question, cause: Schema.Literals(["person", "escape"]) }),
  stop: nothing,
  resume: nothing,
  saveRules: Schema.Struct({
    text: Schema.String.check(Schema.isMaxLength(rulesTextMax)),
    seen: Schema.NullOr(Digest)
  }),
  addRoot: nothing,
  removeRoot: Schema.Struct({ path: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4_096)) })
}
