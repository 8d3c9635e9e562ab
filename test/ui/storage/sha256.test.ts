/** The digest of files in pieces, against Node's own. */
import { fileSha256, sha256 } from "@countersign/ui/storage/sha256"
import { assert, describe, it } from "@effect/vitest"
import { createHash, randomBytes } from "node:crypto"

const expected = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

describe("the SHA-256 of a file", () => {
  it("equals Node's for every length around the block size, in pieces of any size", () => {
    const bytes = new Uint8Array(randomBytes(300))
    for (let length = 0; length <= bytes.length; length++) {
      for (const step of [1, 7, 63, 64, 65, 300]) {
        const hash = sha256()
        for (let at = 0; at < length; at += step) hash.add(bytes.subarray(at, Math.min(length, at + step)))
        assert.strictEqual(hash.end(), expected(bytes.subarray(0, length)), `${length} bytes in steps of ${step}`)
      }
    }
  })

  it("reads a file in pieces and reports them", async () => {
    const bytes = new Uint8Array(randomBytes(9 * 1024 * 1024 + 3))
    const progress: Array<number> = []
    const found = await fileSha256(new Blob([bytes]), new AbortController().signal, (done) => void progress.push(done))
    assert.strictEqual(found, expected(bytes))
    assert.deepStrictEqual(progress, [4 * 1024 * 1024, 8 * 1024 * 1024, bytes.length])
  })

  it("stops when it is aborted", async () => {
    const stop = new AbortController()
    const reading = fileSha256(new Blob([new Uint8Array(5 * 1024 * 1024)]), stop.signal, () => stop.abort())
    const error: unknown = await reading.catch((error: unknown) => error)
    assert.isTrue(error instanceof DOMException && error.name === "AbortError")
  })
})
