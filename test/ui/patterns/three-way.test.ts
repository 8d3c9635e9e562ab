import { keysField, mergeDrafts } from "@countersign/ui/patterns/three-way"
import { describe, expect, test } from "vitest"

interface Draft {
  readonly name: string
  readonly note: string
  readonly life: number
  readonly unit: "minutes" | "hours"
}

const base: Draft = { name: "Scout", note: "", life: 1, unit: "hours" }
const fields = [
  keysField<Draft>(["name"], "Name", ({ name }) => name),
  keysField<Draft>(["note"], "Note", ({ note }) => note),
  {
    ...keysField<Draft>(["life", "unit"], "Life", ({ life, unit }) => `${life} ${unit}`),
    value: ({ life, unit }: Draft) => life * (unit === "hours" ? 60 : 1)
  }
]
const merged = (mine: Partial<Draft>, theirs: Partial<Draft>) => {
  const { draft, ...keys } = mergeDrafts(fields, base, { ...base, ...mine }, { ...base, ...theirs })
  const names = Object.fromEntries(Object.entries(keys).map(([kind, list]) => [kind, list.map(({ label }) => label)]))
  return { draft, ...names }
}

describe("merging two drafts", () => {
  test("takes the other person's fields and keeps the reader's own", () => {
    expect(merged({ name: "Mine" }, { note: "Theirs" })).toEqual({
      draft: { ...base, name: "Mine", note: "Theirs" },
      theirs: ["Note"],
      mine: ["Name"],
      collisions: []
    })
  })

  test("collides only if both changed a field to different values", () => {
    expect(merged({ name: "Mine", note: "Same" }, { name: "Theirs", note: "Same" })).toEqual({
      draft: { ...base, name: "Mine", note: "Same" },
      theirs: [],
      mine: [],
      collisions: ["Name"]
    })
  })

  test("compares the meaning of a field, and copies all of its keys together", () => {
    expect(merged({ life: 60, unit: "minutes" }, {})).toMatchObject({ theirs: [], mine: [], collisions: [] })
    expect(merged({ name: "Mine" }, { life: 5, unit: "minutes" }).draft).toEqual({
      ...base,
      name: "Mine",
      life: 5,
      unit: "minutes"
    })
    expect(merged({ life: 2 }, { life: 5, unit: "minutes" })).toMatchObject({
      draft: { life: 2, unit: "hours" },
      collisions: ["Life"]
    })
  })

  test("requires no review if the other person changed no field of the form", () => {
    expect(mergeDrafts(fields.slice(0, 1), base, { ...base, name: "Mine" }, { ...base, note: "Theirs" })).toMatchObject(
      {
        draft: { name: "Mine", note: "Theirs" },
        theirs: [],
        collisions: []
      }
    )
  })
})
