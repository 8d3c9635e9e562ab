/** Command output in chunks: whole characters, in order, resent from the hub's `next_seq`, and bounded in memory. */
import { makeMask } from "@countersign/desktop/device/results/masker"
import { type Chunk, makeOutput } from "@countersign/desktop/device/results/output"
import { assert, describe, it } from "@effect/vitest"

const decoded = ({ data, encoding }: Chunk): Buffer => Buffer.from(data, encoding === "base64" ? "base64" : "utf8")

/** A hub that acknowledges each chunk at once and stores it. */
const hubbed = () => {
  const chunks: Array<Chunk> = []
  const output = makeOutput(makeMask([]), (chunk) => {
    chunks.push(chunk)
    queueMicrotask(() => output.acknowledged(chunk.seq + 1))
  })
  return { chunks, output }
}

describe("the output of a command", () => {
  it("arrives complete, in order across both streams, without split characters", async () => {
    const { chunks, output } = hubbed()
    const text = "zażółć gęślą jaźń 🙂 ".repeat(9_000)
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 1_001) output.write("stdout", bytes.subarray(at, at + 1_001))
    output.write("stderr", Buffer.from("an error\n"))
    output.write("stdout", Buffer.from("the end"))
    await output.end()
    assert.isTrue(chunks.every((chunk) => chunk.encoding === "utf8" && decoded(chunk).length <= 64 * 1024))
    assert.deepStrictEqual(chunks.map(({ seq }) => seq), chunks.map((_, at) => at))
    assert.strictEqual(
      chunks.filter(({ stream }) => stream === "stdout").map(({ data }) => data).join(""),
      `${text}the end`
    )
    assert.strictEqual(chunks.findLast(({ stream }) => stream === "stderr")?.data, "an error\n")
  })

  it("is sent as base64 when it is not text", async () => {
    const { chunks, output } = hubbed()
    output.write("stdout", Buffer.from([0xff, 0xfe, 0x00, 0x80]))
    await output.end()
    assert.deepStrictEqual(Buffer.concat(chunks.map(decoded)), Buffer.from([0xff, 0xfe, 0x00, 0x80]))
  })

  it("is resent from the hub's next_seq, with the same content under each number", async () => {
    const sent: Array<Chunk> = []
    const output = makeOutput(makeMask([]), (chunk) => sent.push(chunk))
    for (const part of ["one ", "two ", "three "]) output.write("stdout", Buffer.from(part.repeat(20_000)))
    const ended = output.end()
    const first = [...sent]
    assert.isAbove(first.length, 2)
    output.resend(1)
    const again = sent.slice(first.length)
    assert.deepStrictEqual(again.slice(0, first.length - 1), first.slice(1))
    output.acknowledged(output.lastSeq() + 1)
    for (let seen = -1; seen !== output.lastSeq();) {
      seen = output.lastSeq()
      output.acknowledged(seen + 1)
    }
    await ended
  })

  it("D20: of a flood the first MiB and the last 3 MiB are kept, and the offset shows the gap", async () => {
    const { chunks, output } = hubbed()
    const line = Buffer.from(`${"x".repeat(79)}\n`)
    const block = Buffer.concat(Array.from({ length: 1_000 }, () => line))
    const blocks = 200
    for (let at = 0; at < blocks; at++) {
      output.write("stdout", block)
      await Promise.resolve()
    }
    await output.end()
    const total = blocks * block.length
    const last = chunks.at(-1)!
    assert.strictEqual((last.offset ?? 0) + decoded(last).length, total)
    const kept = chunks.reduce((sum, chunk) => sum + decoded(chunk).length, 0)
    assert.isAtLeast(kept, 4 * 1024 * 1024 - 128 * 1024)
    assert.isAtMost(kept, 5 * 1024 * 1024)
    let at = 0
    let gaps = 0
    for (const chunk of chunks) {
      assert.isAtLeast(chunk.offset!, at)
      if (chunk.offset! > at) gaps++
      at = chunk.offset! + decoded(chunk).length
    }
    assert.isAtLeast(gaps, 1)
    assert.strictEqual(chunks[0]?.offset, 0)
  })

  for (
    const [pace, ackedAt] of [["confirms nothing until the end", Number.POSITIVE_INFINITY], [
      "confirms a chunk for every 20 that are printed",
      20
    ]] as const
  ) {
    it(`keeps the first MiB and the last 3 MiB complete for a hub that ${pace}, and counts the dropped bytes`, async () => {
      const chunks: Array<Chunk> = []
      const output = makeOutput(makeMask([]), (chunk) => chunks.push(chunk))
      const printed = Buffer.from(Array.from({ length: 900_000 }, (_, line) => `line ${line}\n`).join(""))
      let confirmed = 0
      for (let at = 0, writes = 1; at < printed.length; at += 9_973, writes++) {
        output.write("stdout", printed.subarray(at, at + 9_973))
        if (writes % ackedAt === 0 && confirmed < chunks.length) output.acknowledged(++confirmed)
      }
      const ended = output.end()
      while (confirmed < chunks.length) output.acknowledged(++confirmed)
      await ended
      let at = 0
      const gaps: Array<readonly [number, number]> = []
      for (const chunk of chunks) {
        if (chunk.offset! > at) gaps.push([at, chunk.offset!])
        at = chunk.offset! + decoded(chunk).length
        assert.isTrue(decoded(chunk).equals(printed.subarray(chunk.offset, at)))
      }
      assert.strictEqual(at, printed.length)
      for (const [from, to] of gaps) {
        assert.isAtLeast(from, 1024 * 1024)
        assert.isAtMost(to, printed.length - 3 * 1024 * 1024)
      }
      assert.isNotEmpty(gaps)
      assert.strictEqual(output.dropped(), gaps.reduce((sum, [from, to]) => sum + to - from, 0))
    })
  }

  it("stays bounded when two streams alternate byte by byte, and loses nothing of either", async () => {
    const { chunks, output } = hubbed()
    const bytes = 30_000
    for (let at = 0; at < bytes; at++) {
      output.write("stdout", Buffer.from(String(at % 10)))
      output.write("stderr", Buffer.from(String((at + 5) % 10)))
    }
    await output.end()
    for (const [stream, first] of [["stdout", 0], ["stderr", 5]] as const) {
      const text = chunks.filter((chunk) => chunk.stream === stream).map(({ data }) => data).join("")
      assert.strictEqual(text, Array.from({ length: bytes }, (_, at) => String((at + first) % 10)).join(""))
    }
  })
})
