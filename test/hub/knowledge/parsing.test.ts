/** Documents of each type, and documents made to harm the hub. Spec: reference/knowledge.md "Documents". */
import { chunksOf } from "@countersign/hub/knowledge/parsing/chunking"
import { parseDocument } from "@countersign/hub/knowledge/parsing/parse"
import { DocumentParser, type DocumentSource } from "@countersign/hub/knowledge/parsing/parser"
import { ParseRefusal } from "@countersign/hub/knowledge/parsing/refusal"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { constants, deflateRawSync } from "node:zlib"
import { docxOf, pdfOf, wordParagraph, zipBomb } from "../../support/documents.ts"
import { chanceOf } from "../../support/random.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

/** The chunks of a document, parsed in this process. */
const parsed = async (source: DocumentSource) => {
  const document = await parseDocument(source)
  for (const { end, start } of document.blocks) {
    assert.strictEqual(document.text.slice(start, end).trimEnd(), document.text.slice(start, end))
  }
  return {
    ...document,
    chunks: chunksOf(document).map(({ headings, page, text }) =>
      [headings.join(" > "), ...page === undefined ? [] : [page], text] as const
    )
  }
}

const refusal = (source: DocumentSource): Promise<string> =>
  parseDocument(source).then(
    ({ text }) => `parsed: ${text.slice(0, 100)}`,
    (error: unknown) => error instanceof ParseRefusal ? error.reason : "unreadable"
  )

describe("text", () => {
  it("has paragraphs, in form NFC, without control characters and half surrogates", async () => {
    const { chunks, text } = await parsed({
      bytes: utf8("\ufeffCafe\u0301\u0000 one\r\nsecond\u0007 line\r\n \r\n\r\nNext \u{1f600}\fpage"),
      contentType: "text/plain"
    })
    assert.strictEqual(text, "Caf\u00e9 one\nsecond line\n\nNext \u{1f600}\npage")
    assert.deepStrictEqual(chunks, [["", text]])
  })

  it("may have millions of empty lines, and blanks in the middle of a paragraph", async () => {
    const { text } = await parsed({
      bytes: utf8(`one${"\n".repeat(5_000_000)}two${" ".repeat(1_000_000)}three\n   \nfour`),
      contentType: "text/plain"
    })
    assert.strictEqual(text.replace(/ {2,}/, " "), "one\n\ntwo three\n\nfour")
  })

  for (
    const [what, bytes, contentType] of [
      ["UTF-8", utf8("Zażółć gęślą jaźń, שלום, مرحبا"), "text/plain"],
      ["UTF-8 with a mark", utf8("\ufeffZażółć gęślą jaźń, שלום, مرحبا"), "text/plain"],
      ["UTF-16 with a mark", Buffer.from("\ufeffZażółć gęślą jaźń, שלום, مرحبا", "utf16le"), "text/plain"],
      [
        "UTF-16 with a mark, high byte first",
        Buffer.from("\ufeffZażółć gęślą jaźń, שלום, مرحبا", "utf16le").swap16(),
        "text/plain"
      ],
      ["its declared charset", Buffer.from("Zażółć gęślą jaźń, שלום, مرحبا", "utf16le"), "text/plain; charset=utf-16le"]
    ] as const
  ) {
    it(`is read from ${what}`, async () => {
      assert.strictEqual((await parsed({ bytes, contentType })).text, "Zażółć gęślą jaźń, שלום, مرحبا")
    })
  }

  it("is read from UTF-16 without a mark, and from Windows-1252", async () => {
    assert.strictEqual((await parsed({ bytes: Buffer.from("Plain words", "utf16le") })).text, "Plain words")
    const western = Buffer.from("na\u00efve caf\u00e9 \u0093quoted\u0094", "latin1")
    assert.strictEqual((await parsed({ bytes: western })).text, "naïve café “quoted”")
    const damaged = Buffer.concat([utf8("Zażółć"), Buffer.from([0xff]), utf8(" gęślą")])
    assert.strictEqual((await parsed({ bytes: damaged })).text, "Zażółć\ufffd gęślą")
  })

  it("keeps a lone surrogate of its encoding as a replacement character", async () => {
    const bytes = Buffer.from("half \ud800 pair", "utf16le")
    assert.strictEqual((await parsed({ bytes, contentType: "text/plain; charset=utf-16le" })).text, "half \ufffd pair")
  })
})

describe("Markdown", () => {
  it("has headings, paragraphs, items, and code", async () => {
    const document = await parsed({
      bytes: utf8(
        "---\ntitle: \"The guide\"\n---\n# First *level* #\n\n" +
          "A [link](https://example.com \"x\") and ![an image](a.png).\n" +
          "<!-- hidden\n# no -->\n\nSecond\n------\n\n" +
          "- one\n- two\n  more\n\n```sh\n# not a heading\n\nnpm start\n```\n" +
          "### Third_name\nText.\n\n## Fourth\n1. item\n"
      ),
      contentType: "text/x-markdown"
    })
    assert.strictEqual(document.title, "The guide")
    assert.deepStrictEqual(document.chunks, [
      ["First level", "A link and an image."],
      ["First level > Second", "- one\n- two\n  more\n\n# not a heading\n\nnpm start"],
      ["First level > Second > Third_name", "Text."],
      ["First level > Fourth", "1. item"]
    ])
  })

  it("with an open fence, unbalanced brackets, and deep quotes is parsed", async () => {
    for (
      const text of ["```\nopen", "[".repeat(100_000), "> ".repeat(50_000), "*a_ ".repeat(50_000), "# ".repeat(50_000)]
    ) {
      assert.isAtLeast((await parsed({ bytes: utf8(text), contentType: "text/markdown" })).text.length, 0)
    }
  })
})

describe("HTML", () => {
  it("has headings, text, and the text of links; no scripts, styles, and hidden elements", async () => {
    const document = await parsed({
      bytes: utf8(
        "<!doctype html><title>A &amp; B</title><style>x{}</style><nav>menu</nav>" +
          "<h1>One</h1><script>alert(1)</script>" +
          "<p>See <a href=\"javascript:x()\">this\n link</a><br>now<p hidden>no<h2>Two</h2><ul><li>a<li>b</ul>" +
          "<table><tr><th>k<th>v<tr><td>1<td>2</table><pre>  x\n  y</pre><!-- c --><img alt=\"A chart\">"
      )
    })
    assert.strictEqual(document.title, "A & B")
    assert.deepStrictEqual(document.chunks, [
      ["One", "See this link\nnow"],
      ["One > Two", "a\nb\n\nk | v\n1 | 2\n\n  x\n  y\n\nA chart"]
    ])
  })

  it("nested 60,000 deep is parsed", async () => {
    const html = `<html>${"<div>".repeat(60_000)}deep${"</div>".repeat(60_000)}<b>${"<i>".repeat(1_000)}`
    assert.deepStrictEqual((await parsed({ bytes: utf8(html) })).chunks, [["", "deep"]])
  })

  it("is read in the charset of its meta element", async () => {
    const bytes = Buffer.from("<html><meta charset=\"iso-8859-2\"><p>Za\u00bf\u00f3\u00b3\u00e6", "latin1")
    assert.strictEqual((await parsed({ bytes })).text, "Zażółć")
  })
})

describe("PDF", () => {
  it("has pages and paragraphs", async () => {
    const document = await parsed({
      bytes: pdfOf(["First line of an exam-\nple paragraph.\n\nSecond (paragraph).", "", "Third."], {
        title: "Report"
      }),
      contentType: "application/pdf"
    })
    assert.deepStrictEqual([document.title, document.pages], ["Report", 3])
    assert.deepStrictEqual(document.chunks, [
      ["", 1, "First line of an example paragraph.\n\nSecond (paragraph)."],
      ["", 3, "Third."]
    ])
  })

  it("with 10,000 pages, with a password, or damaged is refused", async () => {
    assert.strictEqual(await refusal({ bytes: pdfOf(Array.from({ length: 10_000 }, () => "x")) }), "too_many_pages")
    assert.strictEqual(await refusal({ bytes: pdfOf(["secret"], { encrypted: true }) }), "encrypted")
    assert.strictEqual(await refusal({ bytes: pdfOf(["cut"]).slice(0, 40) }), "unreadable")
  })
})

describe("DOCX", () => {
  it("has headings, paragraphs, and tables", async () => {
    const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`
    const document = await parsed({
      bytes: docxOf(
        wordParagraph("Umowa", 1) + wordParagraph("Zażółć gęślą jaźń.") + wordParagraph("Strony", 2) +
          `<w:tbl><w:tr>${cell("A")}${cell("B")}</w:tr></w:tbl>`
      ),
      contentType: docxType
    })
    assert.strictEqual(document.chunks[0]?.join(": "), "Umowa: Zażółć gęślą jaźń.")
    assert.strictEqual(document.chunks[1]?.[0], "Umowa > Strony")
    assert.match(document.text, /A[\s|]+B$/)
  })

  it("that is a ZIP bomb is refused, whether its directory has the true size or not", async () => {
    const size = 12 * 1024 * 1024
    assert.strictEqual(await refusal({ bytes: zipBomb(size) }), "too_large")
    assert.strictEqual(await refusal({ bytes: zipBomb(size, 1_000) }), "too_large")
    assert.strictEqual(await refusal({ bytes: zipBomb(6 * 1024 * 1024, 7 * 1024 * 1024) }), "unreadable")
  })

  it("nested deep, or damaged, is refused", async () => {
    const deep = docxOf("<w:sdt><w:sdtContent>".repeat(30_000))
    assert.strictEqual(await refusal({ bytes: deep }), "unreadable")
    assert.strictEqual(await refusal({ bytes: docxOf(wordParagraph("cut")).slice(0, 300) }), "unreadable")
  })
})

describe("a content type", () => {
  const office = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(512)])
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(64)])
  for (
    const [what, source, reason] of [
      ["text that is a PDF", { bytes: pdfOf(["x"]), contentType: "text/plain" }, "unsupported_type"],
      ["a PDF that is text", { bytes: utf8("x"), contentType: "application/pdf" }, "unsupported_type"],
      ["a DOCX that is a PDF", { bytes: pdfOf(["x"]), contentType: docxType }, "unsupported_type"],
      ["an image", { bytes: png, contentType: "text/plain" }, "unsupported_type"],
      ["a type that is not supported", { bytes: utf8("a,b"), contentType: "text/csv" }, "unsupported_type"],
      ["an old Office format", { bytes: office, contentType: "text/plain" }, "unsupported_type"],
      [
        "an encrypted Office document",
        { bytes: Buffer.concat([office, Buffer.from("EncryptedPackage", "utf16le")]), contentType: docxType },
        "encrypted"
      ]
    ] as const
  ) {
    it(`of ${what} is ${reason}`, async () => {
      assert.strictEqual(await refusal(source), reason)
    })
  }

  it("is taken from the file name, then from the bytes, when none is declared", async () => {
    const markdown = await parsed({ bytes: utf8("# A\nb"), fileName: "a.MD", contentType: "application/octet-stream" })
    assert.deepStrictEqual(markdown.chunks, [["A", "b"]])
    assert.deepStrictEqual((await parsed({ bytes: utf8("# A\nb") })).chunks, [["", "# A\nb"]])
    assert.deepStrictEqual((await parsed({ bytes: docxOf(wordParagraph("w")), fileName: "w" })).chunks, [["", "w"]])
  })
})

describe("random bytes", () => {
  it("are parsed or refused, and the positions of the chunks are exact", async () => {
    const { int, one } = chanceOf(11)
    const seeds = [
      docxOf(wordParagraph("Heading", 1) + wordParagraph("Text.")),
      utf8("<html><body><h1>T</h1><p>x</p><table><tr><td>y</table>"),
      utf8("# T\n\nx [y](z)\n\n```\ncode\n```\n")
    ]
    let count = 0
    for (let round = 0; round < 150; round++) {
      const bytes = one(seeds).slice()
      for (let change = 0; change < 1 + int(20); change++) bytes[int(bytes.length)] = int(256)
      const document = await parseDocument({ bytes, fileName: one(["a.md", "a.html", "a"]) }).catch(() => undefined)
      if (document === undefined) continue
      count++
      assert.isTrue(document.text.isWellFormed())
      for (const { end, start, text } of chunksOf(document)) assert.strictEqual(document.text.slice(start, end), text)
    }
    assert.isAbove(count, 30)
  })
})

layer(DocumentParser.layer, { excludeTestServices: true })("the process of the parsers", (it) => {
  it.effect("answers with chunks, refuses an empty document, and continues after each failure", () =>
    Effect.gen(function*() {
      const { parse, typeOf } = yield* DocumentParser
      const document = yield* parse({ bytes: pdfOf(["Passage."]), fileName: "a.pdf" })
      assert.deepStrictEqual(document.chunks.map(({ page, text }) => [page, text]), [[1, "Passage."]])
      const reasonOf = (source: DocumentSource) => Effect.map(Effect.flip(parse(source)), ({ reason }) => reason)
      assert.strictEqual(yield* reasonOf({ bytes: pdfOf(["", ""]) }), "empty")
      assert.strictEqual(yield* reasonOf({ bytes: utf8(" \n\t "), contentType: "text/plain" }), "empty")
      assert.strictEqual(yield* reasonOf({ bytes: zipBomb(12 * 1024 * 1024) }), "too_large")
      assert.strictEqual((yield* parse({ bytes: utf8("Still here.") })).text, "Still here.")
      // A damaged PDF must not end the process with a rejection that nobody handles.
      const { int } = chanceOf(5)
      for (let round = 0; round < 40; round++) {
        const bytes = pdfOf(["A page.", "Another page."])
        for (let change = 0; change < 10; change++) bytes[int(bytes.length)] = int(256)
        const result = yield* Effect.result(parse({ bytes }))
        if (Result.isFailure(result)) assert.include(["empty", "encrypted", "unreadable"], result.failure.reason)
      }
      assert.strictEqual(yield* typeOf({ bytes: docxOf(""), contentType: "application/octet-stream" }), docxType)
      assert.strictEqual(
        (yield* Effect.flip(typeOf({ bytes: utf8("x"), contentType: "image/png" }))).reason,
        "unsupported_type"
      )
    }))
})

/** A PDF whose page's content is 4 GiB of spaces, deflated to 4 MB. */
const streamBomb = () => {
  const part = deflateRawSync(Buffer.alloc(16 * 1024 * 1024, 0x20), { finishFlush: constants.Z_FULL_FLUSH })
  const content = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 256 }, () => part)]).toString(
    "latin1"
  )
  const text = Buffer.from(pdfOf(["x"])).toString("latin1")
  return Uint8Array.from(Buffer.from(
    text.replace(
      /<< \/Length \d+ >>\nstream[^]*?endstream/,
      () => `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`
    ),
    "latin1"
  ))
}

describe("a document over the limit", () => {
  const large = (): DocumentSource => ({ bytes: utf8("<p>".repeat(1_000_000)), contentType: "text/html" })
  for (
    const [what, options, source, reason] of [
      ["of the heap", { heapMebibytes: 40, millisMax: 60_000 }, large, "out_of_memory"],
      ["of time", { heapMebibytes: 512, millisMax: 100 }, large, "timed_out"],
      [
        "of memory for buffers",
        { heapMebibytes: 512, millisMax: 60_000 },
        () => ({ bytes: streamBomb() }),
        "out_of_memory"
      ]
    ] as const
  ) {
    it.live(`${what} is ${reason}, and the hub continues`, () =>
      Effect.gen(function*() {
        const { parse } = yield* DocumentParser
        assert.strictEqual((yield* Effect.flip(parse(source()))).reason, reason)
      }).pipe(Effect.provide(DocumentParser.layerOf(options))))
  }
})
