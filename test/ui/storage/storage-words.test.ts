/** Words about files. */
import { restoreDays } from "@countersign/domain/storage"
import { foldersTo, nameOf, previewOf, restorableUntil } from "@countersign/ui/storage/storage-words"
import { assert, describe, it } from "@effect/vitest"

describe("words about files", () => {
  it("name the last segment of a key and of a folder, and the folders above it", () => {
    assert.strictEqual(nameOf("reports/2026/june.pdf"), "june.pdf")
    assert.strictEqual(nameOf("reports/2026/"), "2026")
    assert.deepStrictEqual(foldersTo("reports/2026/"), ["reports/", "reports/2026/"])
    assert.deepStrictEqual(foldersTo(""), [])
  })

  it("give the moment until which the contract restores a deleted file", () => {
    const deleted = Date.parse("2026-02-25T10:00:00.000Z")
    assert.strictEqual(
      restorableUntil(new Date(deleted).toISOString()),
      new Date(deleted + restoreDays * 86_400_000).toISOString()
    )
  })

  it("preview markup as text, and no type that could run scripts as itself", () => {
    const kinds = [
      "image/png",
      "audio/mpeg",
      "video/mp4; codecs=avc1",
      "TEXT/Plain; charset=utf-8",
      "text/html",
      "image/svg+xml",
      "application/json",
      "application/pdf",
      "application/octet-stream"
    ].map(previewOf)
    assert.deepStrictEqual(kinds, ["image", "audio", "video", "text", "text", "text", "text", undefined, undefined])
  })
})
