/**
 * E2: a hub's bodies on the app's own origin are saved as files and never displayed, independent of the hub's headers.
 */
import { makePages } from "@countersign/desktop/main/electron/app-protocol"
import { expect, test } from "vitest"

const saved = async (
  headers: Readonly<Record<string, string>>,
  status = 200,
  path = "/api/v1/audit-logs/export?format=csv"
) => {
  const pages = makePages({
    folder: "/nowhere",
    download: async () => new Response("<script>parent</script>", { status, headers })
  })
  return pages({
    url: `app://countersign${path}`,
    method: "GET",
    headers: new Headers(),
    signal: new AbortController().signal
  })
}

test("serves a hub's HTML, SVG, script, or unknown type as a sandboxed attachment of bytes", async () => {
  for (
    const type of [
      "text/html",
      "text/html; charset=utf-8",
      "TEXT/HTML",
      "image/svg+xml",
      "text/javascript",
      "application/xhtml+xml",
      "text/xml",
      "application/pdf",
      "text/plain",
      "text/csv, text/html",
      "nonsense",
      ""
    ]
  ) {
    for (const status of [200, 401, 500]) {
      const answer = await saved({
        ...type === "" ? {} : { "content-type": type },
        "content-disposition": "inline",
        "set-cookie": "a=b",
        "x-frame-options": "ALLOWALL"
      }, status)
      expect(answer.status).toBe(status)
      expect(Object.fromEntries(answer.headers), type).toEqual({
        "content-type": "application/octet-stream",
        "content-disposition": "attachment; filename=\"export\"",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store"
      })
    }
  }
})

test("keeps an export's type and length, and gives it a plain file name", async () => {
  const csv = await saved({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": "attachment; filename=\"audit-org_1.csv\"",
    "content-length": "23"
  })
  expect(["content-type", "content-disposition", "content-length"].map((name) => csv.headers.get(name))).toEqual([
    "text/csv; charset=utf-8",
    "attachment; filename=\"audit-org_1.csv\"",
    "23"
  ])
  const packed = await saved({
    "content-type": "application/x-ndjson",
    "content-encoding": "gzip",
    "content-length": "23"
  })
  expect([packed.headers.get("content-type"), packed.headers.get("content-length")]).toEqual([
    "application/x-ndjson; charset=utf-8",
    null
  ])
  for (
    const [name, kept] of [
      ["../../etc/passwd", "_.._etc_passwd"],
      [".bashrc", "bashrc"],
      ["a; x=y.html", "a_x_y.html"],
      ["\u00e9.csv", "_.csv"]
    ] as const
  ) {
    expect(
      (await saved({ "content-disposition": `attachment; filename="${name}"` })).headers.get("content-disposition"),
      name
    ).toBe(`attachment; filename="${kept}"`)
  }
})

test("serves an object's image, audio, and video with their types for the page's elements, in ranges, and all others as bytes", async () => {
  const asked: Array<unknown> = []
  const pages = makePages({
    folder: "/nowhere",
    download: async (path, { isObject, range }) => {
      asked.push([path, isObject, range])
      const type = path.includes("obj_2") ? "text/html" : "audio/wav"
      return new Response("abc", {
        status: 206,
        headers: { "content-type": type, "content-range": "bytes 0-2/9", "content-disposition": "inline" }
      })
    }
  })
  const get = (path: string) =>
    pages({
      url: `app://countersign/api/v1/storage/objects/${path}`,
      method: "GET",
      headers: new Headers({ range: "bytes=0-2" }),
      signal: new AbortController().signal
    })
  const sound = await get("obj_1/download?workspace=org_1&disposition=inline")
  expect(sound.status).toBe(206)
  expect(Object.fromEntries(sound.headers)).toMatchObject({
    "content-type": "audio/wav",
    "content-range": "bytes 0-2/9",
    "content-security-policy": "default-src 'none'; sandbox"
  })
  expect((await get("obj_2/download")).headers.get("content-type")).toBe("application/octet-stream")
  expect((await get("obj_1/confirm")).status).toBe(404)
  expect((await get("obj_1/x/download")).status).toBe(404)
  expect(asked).toEqual([
    ["/storage/objects/obj_1/download?workspace=org_1&disposition=inline", true, "bytes=0-2"],
    ["/storage/objects/obj_2/download", true, "bytes=0-2"]
  ])
})
