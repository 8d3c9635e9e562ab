import { isNewer } from "@countersign/desktop/main/updates/version-order"
import { assert, it } from "vitest"

/** Examples of Semantic Versioning 2.0.0, section 11, and possible versions of this app. */
const ascending = [
  "0.1.0",
  "0.1.1",
  "0.2.0",
  "0.10.0",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "2.0.0",
  "10.0.0"
]

it("each version is newer than all before it, and not newer than itself", () => {
  for (const [at, version] of ascending.entries()) {
    for (const [other, before] of ascending.entries()) {
      assert.strictEqual(isNewer(version, before), at > other, `${version} ${before}`)
    }
  }
  assert.isFalse(isNewer("1.0.0+b", "1.0.0+a"))
})

it.each(["", "1", "1.0", "v2.0.0", "02.0.0", "2.0.0 ", "latest", "2.0.0-", "9999999999.0.0"])(
  "%j is not a version and not newer",
  (text) => {
    assert.isFalse(isNewer(text, "0.1.0"))
  }
)
