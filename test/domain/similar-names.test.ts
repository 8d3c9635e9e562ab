import { similarNames } from "@countersign/domain/similar-names"
import { assert, it } from "@effect/vitest"

it("similar names are misspellings, not opposites", () => {
  assert.deepStrictEqual(similarNames("alocate", ["allocate", "move"]), ["allocate"])
  assert.deepStrictEqual(similarNames("deallocate", ["allocate", "move"]), [])
  assert.deepStrictEqual(similarNames("publish", ["unpublish"]), [])
})
