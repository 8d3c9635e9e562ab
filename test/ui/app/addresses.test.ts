import { idPlace } from "@countersign/ui/app/id-place"
import { returnTo } from "@countersign/ui/app/return-to"
import {
  filtersOf,
  id,
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
    const query = stringifySearch(search)
    expect(query).toBe("?q=a+b%26c&status=blocked&status=failed&from=2026-11-21")
    expect(parseSearch(query)).toEqual(search)
    expect(stringifySearch({ q: "", status: [], x: undefined })).toBe("")
  })

  test("are read alike with one value and with several", () => {
    expect(read(parseSearch("?status=failed"))).toEqual({ status: ["failed"] })
    expect(read(parseSearch("?status=failed&status=blocked&status=failed"))).toEqual({ status: ["blocked", "failed"] })
    expect(read(parseSearch("?mode=test&mode=live"))).toEqual({ mode: "test" })
  })

  test("drops unknown parameters and values", () => {
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

describe("filters of a list", () => {
  const read = filtersOf({
    q: text(5),
    status: manyOf(["blocked", "failed"]),
    agent_id: id("agt"),
    page: wholeNumber(1, 9)
  })

  test("names the parameters that it does not apply, also after a reload", () => {
    const first = read(parseSearch("?q=tea&status=failed&status=broken&agent_id=scout&agent=x&page=0&locale=pseudo"))
    expect(first).toEqual({
      q: "tea",
      status: ["failed"],
      ignored: ["status=broken", "agent_id=scout", "agent=x", "page=0"]
    })
    expect(read(parseSearch(stringifySearch(first)))).toEqual(first)
  })

  test("names no parameter that it applies", () => {
    const agent = `agt_${"0".repeat(26)}`
    expect(read(parseSearch(`?q=longer+than+five&status=failed&status=failed&agent_id=${agent}`)))
      .toEqual({ q: "longe", status: ["failed"], agent_id: agent })
    expect(read({ q: undefined, page: 3 })).toEqual({ page: 3 })
  })

  test("names at most five parameters and truncates each", () => {
    const { ignored = [] } = read(parseSearch(`?a=${"x".repeat(500)}&b=1&c=1&d=1&e=1&f=1`))
    expect([ignored.length, ignored[0]?.length]).toEqual([5, 100])
  })
})

describe("the link after sign-in", () => {
  test("is the requested one", () => expect(returnTo("/w/org_1/audit?q=x#y")).toBe("/w/org_1/audit?q=x#y"))
  test("is the start page for any other address", () => {
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

describe("the workspace in an address", () => {
  const all = [{ id: "org_1", name: "Default" }, { id: "org_2", name: "Söze & Co." }, { id: "org_3", name: "Twin" }, {
    id: "org_4",
    name: "twin"
  }]
  test("is found by its id, and by its name if only one has it", () => {
    expect(findWorkspace(all, "org_3")?.id).toBe("org_3")
    expect(findWorkspace(all, "default")?.id).toBe("org_1")
    expect(findWorkspace(all, "so-ze-co") ?? findWorkspace(all, slugOf("Söze & Co."))).toBe(all[1])
    expect(findWorkspace(all, "twin")).toBeUndefined()
    expect(findWorkspace(all, "nobody")).toBeUndefined()
  })
})

test("finds the screen of a pasted id", () => {
  const id = "req_01m7yv35bpezt9xwsd437r9jg8"
  expect(idPlace(` ${id}\n`)?.href("org_1")).toBe(`/w/org_1/requests/${id}`)
  expect(idPlace("req_1")).toBeUndefined()
  expect(idPlace("xyz_01m7yv35bpezt9xwsd437r9jg8")).toBeUndefined()
})
