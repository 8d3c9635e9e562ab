/** Messages of Slack and Discord within the limits of both, whatever the text of others is. */
import { discordMessage } from "@countersign/hub/notice-channels/discord-message"
import { linesOf, type Notice, oneLine } from "@countersign/hub/notice-channels/notice"
import { slackMessage } from "@countersign/hub/notice-channels/slack-message"
import { assert, describe, it } from "@effect/vitest"

/** As long as each part can be, of a character that both messengers escape. */
const noticeOf = (character: string): Notice => ({
  subject: { type: "approval", id: "apr_01" },
  title: `${oneLine(character.repeat(500), 100)} → shop.buy`,
  amount: "$42.00",
  lines: linesOf(
    [],
    Object.fromEntries(["a", "b", "c"].map((key) => [key + character.repeat(500), character.repeat(500)]))
  ),
  reason: oneLine(character.repeat(900), 500),
  seal: "0a1b2c3d",
  isTest: false,
  expiresAt: undefined,
  states: ["Approved by Ada · 2026-11-28 07:00 UTC · executed"],
  isOpen: false,
  buttons: [],
  url: "https://hub.example/w/org_01/approvals/apr_01"
})

/** Slack refuses a section of over 3,000 characters, and its message with it. */
const sectionsOf = (notice: Notice): ReadonlyArray<string> =>
  slackMessage(notice).blocks.flatMap(({ text, type }) =>
    type === "section" ? [(text as { readonly text: string }).text] : []
  )

describe("messages", () => {
  it("keep amount, decision, and seal, and the messenger's limits, whatever an agent writes", () => {
    for (const character of ["x", "&", "<", "*", "@", "🙂", "\n"]) {
      const notice = noticeOf(character)
      const sections = sectionsOf(notice)
      assert.deepStrictEqual(sections.filter(({ length }) => length > 3_000), [], character)
      const slack = JSON.stringify(slackMessage(notice))
      const { content } = discordMessage(notice) as { readonly content: string }
      assert.isAtMost(content.length, 2_000)
      for (const text of [slack, content]) {
        for (const part of ["$42.00", "Approved by Ada", "Seal 0a1b2c3d"]) assert.include(text, part, character)
      }
    }
  })

  it("show no card of a link, and lines of usual length in one section", () => {
    const notice = { ...noticeOf("x"), lines: linesOf([], { item: "chair", size: "large" }) }
    assert.include(sectionsOf(notice), "item: chair\nsize: large")
    assert.strictEqual(discordMessage(notice)["flags"], 4)
  })
})
