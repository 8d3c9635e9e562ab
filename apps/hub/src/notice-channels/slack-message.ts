/** A notice in the blocks of Slack. Pure. All text of others is escaped: nothing in it can mention, link, or format. */
import type { DecisionButton, FormFacts, Notice } from "./notice.ts"

/** Slack's three control characters. https://docs.slack.dev/messaging/formatting-message-text#escaping */
export const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

type Block = Readonly<Record<string, unknown>>

/** `verbatim`: Slack turns no names and no bare addresses into links. */
const text = (value: string): Block => ({ type: "mrkdwn", text: value, verbatim: true })
const section = (value: string): Block => ({ type: "section", text: text(value) })
/** Characters of a section, with its escapes. Slack refuses a message with a longer one. */
const sectionMax = 3_000

/** Lines in as few sections as their lengths allow. */
const sections = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const texts: Array<string> = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last === undefined || last.length + 1 + line.length > sectionMax) texts.push(line)
    else texts[texts.length - 1] = `${last}\n${line}`
  }
  return texts.map(section)
}

const plain = (value: string): Block => ({ type: "plain_text", text: value, emoji: false })
/** Bold text cannot contain the character that ends it. */
const bold = (value: string): string => `*${escapeSlack(value.replaceAll("*", "∗"))}*`

/** Shown in the reader's own time zone. */
const dateText = (at: Date): string =>
  `<!date^${Math.floor(at.getTime() / 1_000)}^{date_short_pretty}, {time}|${at.toISOString()}>`

const buttonBlock = ({ confirm, label, style, value }: DecisionButton): Block => ({
  type: "button",
  action_id: value.slice(0, value.indexOf(":")),
  text: plain(label),
  value,
  ...(style === "plain" ? {} : { style }),
  ...(confirm === undefined ? {} : {
    confirm: {
      title: plain(confirm.title),
      text: plain(confirm.text),
      confirm: plain(label.replace(/…$/u, "")),
      deny: plain("Cancel")
    }
  })
})

const headline = ({ amount, isTest, title }: Notice): string =>
  `${isTest ? "Test: " : ""}${amount === undefined ? "" : `${amount} · `}${title}`

const contextOf = ({ expiresAt, isOpen, seal }: Notice): ReadonlyArray<string> => [
  ...(seal === undefined ? [] : [`Seal ${seal}`]),
  ...(expiresAt === undefined || !isOpen ? [] : [`Expires ${dateText(expiresAt)}`])
]

/** The fields `text` and `blocks` of `chat.postMessage` and `chat.update`. */
export const slackMessage = (notice: Notice): { readonly text: string; readonly blocks: ReadonlyArray<Block> } => {
  const { buttons, lines, mentions = [], reason, states, url } = notice
  const context = contextOf(notice)
  return {
    text: escapeSlack(headline(notice)),
    blocks: [
      section(bold(headline(notice))),
      ...sections(lines.map(({ label, value }) => `${escapeSlack(label)}: ${escapeSlack(value)}`)),
      ...(reason === undefined ? [] : [section(`Reason: ${escapeSlack(reason)}`)]),
      ...sections(states.map(escapeSlack)),
      ...(mentions.length === 0 ? [] : [section(mentions.map((account) => `<@${account}>`).join(" "))]),
      ...(context.length === 0 ? [] : [{ type: "context", elements: [text(context.join(" · "))] }]),
      {
        type: "actions",
        elements: [
          ...buttons.map(buttonBlock),
          { type: "button", action_id: "open", text: plain("Open"), url }
        ]
      }
    ]
  }
}

/** The ids of the text in a form. */
export const formBlock = "text"

/** A dialog with one text. `metadata` comes back with it. */
export const slackForm = ({ label, max, required, submit, title }: FormFacts, metadata: string): Block => ({
  type: "modal",
  callback_id: "decision",
  private_metadata: metadata,
  title: plain(title),
  submit: plain(submit),
  close: plain("Cancel"),
  blocks: [{
    type: "input",
    block_id: formBlock,
    optional: !required,
    label: plain(label),
    element: { type: "plain_text_input", action_id: formBlock, multiline: true, max_length: max }
  }]
})
