/** Argument schemas of the owner window's methods. Loaded in main only. */
import { Schema } from "effect"
import type { Asked } from "./contract.ts"
import type { BridgedOwner, OwnerMethod } from "./owner.ts"

/** Length of the rules file, in characters. */
export const rulesTextMax = 1_048_576

const nothing = Schema.Undefined
const Question = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))
const Digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))
const Of = Schema.Struct({ question: Question, digest: Digest })

export const ownerAsks: { readonly [M in OwnerMethod]: Schema.Codec<Asked<BridgedOwner[M]>, unknown> } = {
  state: nothing,
  drawn: Of,
  read: Of,
  allow: Of,
  // Main itself detects a closed or crashed window.
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
