import { jsonChanges } from "@countersign/ui/patterns/json-diff.ts"
import { jsonLines, searchLines } from "@countersign/ui/patterns/json-lines.ts"
import { payloadFields } from "@countersign/ui/patterns/payload-fields.ts"
import { describe, expect, it } from "vitest"

const payload = {
  to: "+41",
  options: { max: 6, tags: ["a", "b"] },
  token: { $masked: true },
  none: null,
  empty: {},
  "odd name": []
}

describe("JSON lines", () => {
  const written = (lines: ReturnType<typeof jsonLines>) =>
    lines.map((line) => {
      const name = line.name === undefined ? "" : `${JSON.stringify(line.name)}:`
      const comma = line.last || (line.kind === "open" && line.size > 0) ? "" : ","
      return name + (line.kind === "masked" ? `{"$masked":true}` : line.text) + comma
    }).join("")

  it("join to the same JSON", () => expect(JSON.parse(written(jsonLines(payload)))).toEqual(payload))
  it("have unique ids", () => {
    const ids = jsonLines(payload).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
  it("keep a folded value on its opening line", () => {
    const lines = jsonLines(payload, new Set(["/options"]))
    expect(lines.filter(({ id }) => id.startsWith("/options"))).toMatchObject([{ folded: true, text: "{}", size: 2 }])
  })
  it("escape names in pointers, so that two values never share an id", () =>
    expect(jsonLines({ "a/b": 1, a: { b: 2 } }).map(({ id }) => id)).toEqual([
      "",
      "/a~1b",
      "/a",
      "/a/b",
      "/a#end",
      "#end"
    ]))
  it("are searched by name and value, ignoring case; blanks find nothing", () => {
    expect(searchLines(jsonLines(payload), "MAX")).toEqual(["/options/max"])
    expect(searchLines(jsonLines(payload), "+4")).toEqual(["/to"])
    expect(searchLines(jsonLines(payload), " ")).toEqual([])
  })
  it("distinguish a mask from an object that merely has such a member", () => {
    expect(jsonLines({ $masked: true }).map(({ kind }) => kind)).toEqual(["masked"])
    expect(jsonLines({ $masked: true, more: 1 }).map(({ kind }) => kind)).toEqual([
      "open",
      "boolean",
      "number",
      "close"
    ])
  })
})

describe("payload changes", () => {
  const kinds = (before: unknown, after: unknown) =>
    jsonChanges(before, after).map(({ path, kind }) => `${kind} ${path}`)

  it("are listed member by member, by position in arrays", () =>
    expect(kinds({ a: 1, b: [1, 2, 3], c: { d: 1 } }, { a: 2, b: [1, 4], e: 5, c: { d: 1 } })).toEqual([
      "changed a",
      "same b[0]",
      "changed b[1]",
      "removed b[2]",
      "added e",
      "same c.d"
    ]))
  it("ignore the order of members", () =>
    expect(kinds({ a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] })).toEqual(["same a[0].y", "same a[0].x"]))
  it("report a change of type as one change", () => expect(kinds({ a: {} }, { a: [] })).toEqual(["changed a"]))
  it("never report a masked value as unchanged", () =>
    expect(jsonChanges({ t: { $masked: true } }, { t: { $masked: true } })).toMatchObject([{
      masked: true,
      before: undefined,
      after: undefined
    }]))
  it("distinguish a text from a number with the same characters", () =>
    expect(kinds({ a: 1 }, { a: "1" })).toEqual(["changed a"]))
  it("quote unusual names so that a path is unambiguous", () =>
    expect(jsonChanges({}, { "a.b": 1 })).toMatchObject([{ path: `["a.b"]` }]))
})

describe("payload fields", () => {
  const schema = {
    type: "object",
    properties: {
      options: { $ref: "#/$defs/options" },
      to: { type: "string", title: "Number" },
      unused: { title: "Unused" }
    },
    $defs: { options: { title: "Options", properties: { max: { title: "At most", description: "Minutes" } } } }
  }
  const fields = payloadFields(schema, payload)

  it("follow the schema's order and titles, then members that the schema does not name", () =>
    expect(fields.filter(({ depth }) => depth === 0).map(({ name, undescribed }) => [name, undescribed])).toEqual([
      ["Options", false],
      ["Number", false],
      ["token", true],
      ["none", true],
      ["empty", true],
      ["odd name", true]
    ]))
  it("follow references", () =>
    expect(fields.find(({ path }) => path === "/options/max")).toMatchObject({
      name: "At most",
      description: "Minutes",
      depth: 1
    }))
  it("omit absent members only", () => {
    expect(fields.some(({ name }) => name === "Unused")).toBe(false)
    expect(new Set(fields.map(({ path }) => path.split("/")[1]))).toEqual(new Set(Object.keys(payload)))
  })
  it("show a mask as masked", () =>
    expect(fields.find(({ path }) => path === "/token")).toMatchObject({ kind: "masked" }))
  it("mark nothing as undescribed without a schema", () =>
    expect(payloadFields(undefined, payload).some(({ undescribed }) => undescribed)).toBe(false))
  it("end for a schema that refers to itself", () =>
    expect(payloadFields({ $ref: "#" }, { a: 1 })).toMatchObject([{ path: "/a", text: "1" }]))
  it("describe members named through allOf", () =>
    expect(payloadFields({ allOf: [{ properties: { a: { title: "A" } } }] }, { a: 1 })).toMatchObject([{
      name: "A",
      undescribed: false
    }]))
})
