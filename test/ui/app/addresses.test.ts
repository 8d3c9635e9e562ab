import { idPlace } from "@countersign/ui/app/id-place"
import { returnTo } from "@countersign/ui/app/return-to"
import {
  manyOf,
  moment,
  oneOf,
  parseSearch,
  searchOf,
  stringifySearch,
  text,
  wholeNumber
} from "@countersign/ui/app/search"
import { findWorkspace, slugOf } from "@countersign/ui/app/session"
import { describe, expect, test } from "vitest"

describe("search parameters", () => {
  const read = searchOf({
    q: text(5),
    mode: oneOf(["live", "test"]),
    status: manyOf(["blocked", "failed"]),
    from: moment,
    page: wholeNumber(1, 9)
  })

  test("are plain text in both directions", () => {
    const search = { q: "a b&c", status: ["blocked", "failed"], from: "2026-11-21" }
    const said = stringifySearch(search)
    expect(said).toBe("?q=a+b%26c&status=blocked&status=failed&from=2026-11-21")
    expect(parseSearch(said)).toEqual(search)
    expect(stringifySearch({ q: "", status: [], x: undefined })).toBe("")
  })

  test("of one value and of many are read alike", () => {
    expect(read(parseSearch("?status=failed"))).toEqual({ status: ["failed"] })
    expect(read(parseSearch("?status=failed&status=blocked&status=failed"))).toEqual({ status: ["blocked", "failed"] })
    expect(read(parseSearch("?mode=test&mode=live"))).toEqual({ mode: "test" })
  })

  test("that nobody knows are left out, whatever they are", () => {
    expect(read(parseSearch("?mode=x&status=x&from=tomorrow&page=0&q=&y=1&__proto__=z"))).toEqual({})
    expect(read(parseSearch("?from=2026-13-45"))).toEqual({})
    expect(read({ mode: { toString: () => "live" }, q: 5, status: null })).toEqual({})
    expect(read(parseSearch("?q=123456789&page=3&from=2026-11-21T09:00:00Z"))).toEqual({
      q: "12345",
      page: 3,
      from: "2026-11-21T09:00:00Z"
    })
  })
})

describe("after sign-in", () => {
  test("the link that was asked for opens", () => expect(returnTo("/w/org_1/audit?q=x#y")).toBe("/w/org_1/audit?q=x#y"))
  test("nothing else does", () => {
    for (
      const wrong of [
        undefined,
        "",
        "https://evil.test",
        "//evil.test",
        "/\\evil.test",
        "w",
        "javascript:1",
        "/a\nb",
        "/sign-in?to=/sign-in"
      ]
    ) {
      expect(returnTo(wrong), String(wrong)).toBe("/")
    }
  })
})

describe("a workspace in an address", () => {
  const all = [{ id: "org_1", name: "Default" }, { id: "org_2", name: "Söze & Co." }, { id: "org_3", name: "Twin" }, {
    id: "org_4",
    name: "twin"
  }]
  test("is found by its id, and by its name when only one has it", () => {
    expect(findWorkspace(all, "org_3")?.id).toBe("org_3")
    expect(findWorkspace(all, "default")?.id).toBe("org_1")
    expect(findWorkspace(all, "so-ze-co") ?? findWorkspace(all, slugOf("Söze & Co."))).toBe(all[1])
    expect(findWorkspace(all, "twin")).toBeUndefined()
    expect(findWorkspace(all, "nobody")).toBeUndefined()
  })
})

test("an id that is pasted leads to what it is of", () => {
  const id = "req_01m7yv35bpezt9xwsd437r9jg8"
  expect(idPlace(` ${id}\n`)?.href("org_1")).toBe(`/w/org_1/requests/${id}`)
  expect(idPlace("req_1")).toBeUndefined()
  expect(idPlace("xyz_01m7yv35bpezt9xwsd437r9jg8")).toBeUndefined()
})
