import { idFloor, idMillis, newId, OrgId, withPrefix } from "@countersign/domain/ids"
import { Schema } from "effect"
import { TypeID } from "typeid-js"
import { afterEach, assert, describe, it, vi } from "vitest"

describe("ids", () => {
  afterEach(() => void vi.restoreAllMocks())

  it("are TypeIDs of a UUID of version 7 that contains the time", () => {
    const before = Date.now()
    const id = newId("req")
    const uuid = TypeID.fromString(id, "req").toUUID()
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(idMillis(id), Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16))
    assert.isAtLeast(idMillis(id), before)
  })

  it("rise strictly, even within one millisecond", () => {
    let last = newId("aud") as string
    for (let made = 0; made < 100_000; made++) {
      const id = newId("aud")
      if (id <= last) assert.fail(`${id} is not above ${last}`)
      last = id
    }
  })

  it("follow a clock that returns from years ahead, and keep rising when it steps back a little", () => {
    const real = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(real + 2 * 365 * 86_400_000)
    const wrong = newId("req")
    assert.strictEqual(idMillis(wrong), real + 2 * 365 * 86_400_000)
    vi.spyOn(Date, "now").mockReturnValue(real)
    const right = newId("req")
    assert.strictEqual(idMillis(right), real)
    vi.spyOn(Date, "now").mockReturnValue(real - 60_000)
    const late = newId("req")
    assert.isTrue(late > right)
    assert.strictEqual(idMillis(late), real)
  })

  it("have a floor below all ids of a moment and above all earlier ones", () => {
    const at = Date.UTC(2026, 10, 1)
    assert.strictEqual(idMillis(idFloor("req", at)), at)
    assert.isTrue(idFloor("req", at - 1) < idFloor("req", at))
    assert.isTrue(idFloor("req", Date.now() - 1) < newId("req"))
  })

  it("keep their time under another prefix", () => {
    const id = newId("req")
    assert.strictEqual(withPrefix("use", id), id.replace("req_", "use_"))
  })

  it.each([
    "org_",
    "org_01",
    "usr_01m7yp00y0emks98a005ke94fh",
    "org_81m7yp00y0emks98a005ke94fh",
    "org_01m7yp00y0emks98a005ke94fI",
    " org_01m7yp00y0emks98a005ke94fh"
  ])(
    "refuse %j as the id of an org",
    (text) => assert.isFalse(Schema.is(OrgId)(text))
  )
})
